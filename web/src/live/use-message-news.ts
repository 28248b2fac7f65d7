import { type Message, messagingRoutes } from '@wangian/contracts/messaging.ts'
import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { useApi } from '../api/use-api.ts'
import { handOverConversation } from '../contact/conversation-hand-off.ts'
import { sentenceInPageLanguage } from '../i18n/in-page-language.ts'
import { depart } from '../lib/unsaved-changes.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { useUser } from '../session/use-session.ts'
import { showToast } from '../ui/toast-store.ts'
import { useLiveSocket } from './use-live-socket.ts'

/** Live frames may get lost. */
const pollMs = 30_000
const staleAfterMs = 10_000
const retriesMax = 3
const toastCharactersMax = 50

/** With whom the conversation is that is on screen: what comes there is seen, and needs no toast. */
export const conversationOnScreen: { userId: number | null } = { userId: null }

/**
 * How many messages the signed-in person has not read, as it changes; 0 for a guest. Keeps the socket open as long as somebody is signed
 * in, and tells of what arrives.
 */
export function useMessageNews(): number {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const socket = useLiveSocket()
  const userId = useUser()?.id ?? null
  const { data, mutate } = useApi(messagingRoutes.countUnread, userId === null ? null : {}, {
    refreshInterval: pollMs,
    dedupingInterval: staleAfterMs,
    shouldRetryOnError: true,
    errorRetryCount: retriesMax,
  })
  useEffect(() => (userId === null ? undefined : socket.hold()), [socket, userId])
  useEffect(() => {
    if (userId === null) return
    const tell = (message: Message) => {
      const { sender, author, product } = message
      // A note of an administrator stands in the conversation of the two.
      const name = (author ?? sender).username ?? t('person.deleted')
      const open = () => {
        handOverConversation(userId, {
          userId: sender.id,
          username: sender.username,
          profileImage: sender.profileImage,
          productId: product?.id ?? null,
          productName: product?.name ?? null,
          templateMessage: '',
        })
        void navigate(paths.messages())
      }
      showToast({
        title: t('menu.newMessage', { name }),
        description: beginningOf(message, toastCharactersMax),
        action: { label: t('menu.readMessage'), onAct: () => depart(open) },
        yields: true,
      })
    }
    // A card may come twice: by itself, and with the step before it.
    let lastToldId = 0
    const hear = (message: Message) => {
      if (message.receiverId !== userId || message.id <= lastToldId || isOnScreen(message)) return
      lastToldId = message.id
      tell(message)
    }
    return socket.onFrame((frame) => {
      if (frame.type === 'unread_count') void mutate({ count: frame.count }, { revalidate: false })
      // What came while nobody was connected.
      if (frame.type === 'auth_success') void mutate()
      if (frame.type === 'new_message') hear(frame.message)
      if (frame.type === 'action_confirmed' && frame.next) hear(frame.next)
    })
  }, [socket, userId, mutate, navigate, t])
  return userId === null ? 0 : (data?.count ?? 0)
}

/**
 * What a message says, or its beginning where that is too long for its place. The words of a card are ours, and so in the language of
 * the page.
 */
export function beginningOf(
  { content, actionType }: Pick<Message, 'content' | 'actionType'>,
  charactersMax: number,
): string {
  const words = actionType === null ? content : sentenceInPageLanguage(content)
  const characters = [...words]
  return characters.length > charactersMax ? `${characters.slice(0, charactersMax).join('')}...` : words
}

function isOnScreen({ senderId }: Message): boolean {
  return conversationOnScreen.userId === senderId && document.visibilityState === 'visible'
}
