import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { useCallback, useEffect, useReducer, useSyncExternalStore } from 'react'
import { callPage } from '../../api/client.ts'
import { i18n } from '../../i18n/i18n.ts'
import { sentenceInPageLanguage } from '../../i18n/in-page-language.ts'
import type { Translate } from '../../i18n/translate.ts'
import { track } from '../../lib/analytics.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import type { ClientFrame } from '../../live/live-socket.ts'
import { useLiveSocket, useLiveStatus } from '../../live/use-live-socket.ts'
import { conversationOnScreen } from '../../live/use-message-news.ts'
import { showToast, type ToastMessage } from '../../ui/toast-store.ts'
import type { Offer } from './CreateTransaction.tsx'
import { emptyConversation, reduceConversation } from './conversation-state.ts'
import { type Answer, type Outgoing, outboxOf } from './outbox.ts'
import { logInAgainToast } from './use-socket-trouble.ts'

const PAGE_MESSAGES = 50

/** The conversation with somebody: its messages as they come, and the ways to write and to look back. Every refresh reads it again. */
export function useConversation({ ownId, otherId, refreshes }: { ownId: number; otherId: number; refreshes: number }) {
  const { t } = useTranslation()
  const socket = useLiveSocket()
  const outbox = outboxOf(socket)
  const texts = useSyncExternalStore(outbox.subscribe, outbox.texts)
  const [state, tell] = useReducer(reduceConversation, emptyConversation)

  const load = useCallback(async () => {
    try {
      tell({ type: 'loaded', ...(await fetchMessages(otherId)) })
    } catch {
      tell({ type: 'loadFailed' })
      showToast(notLoadedToast(t))
    }
  }, [otherId, t])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a refresh reads what is known already
  useEffect(() => void load(), [load, refreshes])

  useEffect(
    () =>
      socket.onFrame((frame) => {
        // The connection was away, and with it whatever came meanwhile.
        if (frame.type === 'auth_success') void load()
        tell({ type: 'frame', frame, otherId })
      }),
    [socket, otherId, load],
  )

  useSeen(otherId, state.messages.find(({ senderId, isRead }) => senderId === otherId && !isRead)?.id)

  /** Tells whoever writes what keeps them from it: that there is no connection, or that the server does not take them for signed in. */
  function isSending(frame: ClientFrame): boolean {
    const isRefused = socket.standing() === 'refused'
    if (!isRefused && socket.status() === 'connected' && socket.send(frame)) return true
    showToast(isRefused ? logInAgainToast(t) : notConnectedToast(t))
    return false
  }

  /** @returns false when it was not even tried, for want of a connection */
  function send({ clientMessageId, content, productId }: Written): boolean {
    const frame = { type: 'send_message', receiverId: otherId, content, productId, clientMessageId } as const
    if (!isSending(frame)) return false
    outbox.add({ clientMessageId, senderId: ownId, receiverId: otherId, content, productId }, tellIfNotSent)
    track('send_message', { recipient_type: 'user' })
    return true
  }

  /** Sends a card that asks the other one to confirm a purchase. @returns whether it is stored */
  async function offer({ productId, amount, clientMessageId }: Offer): Promise<boolean> {
    const frame = {
      type: 'send_action_message',
      receiverId: otherId,
      productId,
      actionType: 'INITIATE',
      ...(amount !== null && { amount }),
      clientMessageId,
    } as const
    if (!isSending(frame)) return false
    const answer = await new Promise<Answer>((resolve) => outbox.expect(frame, resolve))
    tellIfNotSent(answer)
    const isSent = answer.kind === 'stored'
    if (isSent) showToast({ title: t('deal.created'), description: t('deal.createdText') })
    return isSent
  }

  async function loadOlder(): Promise<void> {
    const { nextCursor } = state
    if (nextCursor === null) return
    try {
      tell({ type: 'loadedOlder', ...(await fetchMessages(otherId, nextCursor)) })
    } catch {
      showToast(notLoadedToast(t))
    }
  }

  const outgoing = texts.filter(({ senderId, receiverId }) => senderId === ownId && receiverId === otherId)
  const discard = ({ clientMessageId }: Outgoing) => outbox.discard(clientMessageId)
  return { ...state, outgoing, send, discard, offer, tell, loadOlder, reload: load }
}

type Written = Pick<Outgoing, 'clientMessageId' | 'content' | 'productId'>

/** By then the conversation may have been left, and the page may have another language. */
function tellIfNotSent(answer: Answer): void {
  if (answer.kind === 'refused') showToast(refusalToast(answer.refusal, i18n.t))
  if (answer.kind === 'unanswered') showToast(notSentToast(i18n.t))
}

/** The newest messages, or those before a cursor. @throws {ApiError} */
async function fetchMessages(otherId: number, cursor?: string) {
  const { answer, nextCursor } = await callPage(messagingRoutes.getConversation, {
    params: { userId: otherId },
    query: { limit: PAGE_MESSAGES, cursor },
  })
  return { messages: answer, nextCursor }
}

/**
 * Says that what came was read, as soon as the conversation is on screen and the server knows who says so; again after an interruption, and of what came
 * while the server heard it of what was before.
 */
function useSeen(otherId: number, firstUnreadId: number | undefined): void {
  const socket = useLiveSocket()
  const isSignedIn = useLiveStatus().standing === 'signed-in'
  useEffect(() => {
    conversationOnScreen.userId = otherId
    return () => {
      conversationOnScreen.userId = null
    }
  }, [otherId])
  useEffect(() => {
    if (firstUnreadId === undefined || !isSignedIn) return
    const see = () => {
      if (document.visibilityState === 'visible') socket.send({ type: 'mark_read', senderId: otherId })
    }
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
  }, [socket, otherId, firstUnreadId, isSignedIn])
}

function notConnectedToast(t: Translate): ToastMessage {
  return { title: t('messages.connectionTitle'), description: t('messages.notConnected'), tone: 'destructive' }
}

function notLoadedToast(t: Translate): ToastMessage {
  return { title: t('messages.conversationTitle'), description: t('messages.conversationText'), tone: 'destructive' }
}

function notSentToast(t: Translate): ToastMessage {
  return { title: t('messages.notSentTitle'), description: t('messages.notSentText'), tone: 'destructive' }
}

function refusalToast({ code, message }: Extract<ServerFrame, { type: 'error' }>, t: Translate): ToastMessage {
  if (code === 'unavailable' || code === 'internal') return notSentToast(t)
  if (code === 'own-message') {
    return { title: t('contact.selfTitle'), description: t('contact.selfText'), tone: 'destructive' }
  }
  if (code === 'action-not-allowed') {
    return { title: t('deal.notAllowed'), description: t('deal.notAllowedText'), tone: 'destructive' }
  }
  const isRefused = code === 'user-gone' || code === 'blocked'
  const title = t(isRefused ? 'messages.notSentTitle' : 'messages.errorTitle')
  return { title, description: sentenceInPageLanguage(message, code), tone: 'destructive' }
}
