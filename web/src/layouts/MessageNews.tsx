import { useMessageNews } from '../live/use-message-news.ts'
import { MessagesLink } from './MessagesLink.tsx'

/** Follows what is written to the signed-in person, and says how much of it is new. */
export function MessageNews() {
  return <MessagesLink unread={useMessageNews()} />
}
