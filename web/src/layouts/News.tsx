import { useOutbidTitle } from '../live/outbid-tabs.ts'
import { useMessageNews } from '../live/use-message-news.ts'
import { MessagesLink } from './MessagesLink.tsx'
import { NoticeBell } from './notices/NoticeBell.tsx'

/** Follows what is written to the signed-in person and what happens to them, and says how much of it is new. */
export function News() {
  // In the title, where somebody looks who has several tabs.
  useOutbidTitle()
  return (
    <>
      <MessagesLink unread={useMessageNews()} />
      <NoticeBell />
    </>
  )
}
