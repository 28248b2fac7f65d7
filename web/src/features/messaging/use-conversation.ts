import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import type { TFunction } from 'i18next'
import { useCallback, useEffect, useReducer, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { callPage } from '../../api/client.ts'
import { track } from '../../lib/analytics.ts'
import { useLiveSocket } from '../../live/use-live-socket.ts'
import { conversationOnScreen } from '../../live/use-message-news.ts'
import { showToast } from '../../ui/toast-store.ts'
import { emptyConversation, type Outgoing, reduceConversation } from './conversation-state.ts'

const PAGE_MESSAGES = 50
/** Who has no answer by then is told that it was not sent; sending it again is safe. */
const answerTimeoutMs = 10_000

/** The conversation with somebody: its messages as they come, and the ways to write and to look back. */
export function useConversation(otherId: number) {
  const { t } = useTranslation()
  const socket = useLiveSocket()
  const [state, tell] = useReducer(reduceConversation, emptyConversation)
  const waiting = useRef(new Map<string, ReturnType<typeof setTimeout>>())

  const load = useCallback(async () => {
    try {
      const { answer, nextCursor } = await callPage(messagingRoutes.getConversation, {
        params: { userId: otherId },
        query: { limit: PAGE_MESSAGES },
      })
      tell({ type: 'loaded', messages: answer, nextCursor })
    } catch {
      tell({ type: 'loadFailed' })
      showToast({
        title: t('messages.conversationTitle'),
        description: t('messages.conversationText'),
        tone: 'destructive',
      })
    }
  }, [otherId, t])

  useEffect(() => {
    void load()
    const timers = waiting.current
    return () => {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    }
  }, [load])

  useEffect(() => {
    const answered = (clientMessageId: string | undefined) => {
      if (clientMessageId === undefined || !waiting.current.has(clientMessageId)) return false
      clearTimeout(waiting.current.get(clientMessageId))
      return waiting.current.delete(clientMessageId)
    }
    return socket.onFrame((frame) => {
      if (frame.type === 'message_sent') answered(frame.clientMessageId)
      if (frame.type === 'error' && answered(frame.clientMessageId)) {
        tell({ type: 'notSent', clientMessageId: frame.clientMessageId ?? '' })
        showToast(refusalToast(frame, t))
      }
      // The connection was away, and with it whatever came meanwhile.
      if (frame.type === 'auth_success') void load()
      tell({ type: 'frame', frame, otherId })
    })
  }, [socket, otherId, load, t])

  useSeen(
    otherId,
    state.messages.some(({ senderId, isRead }) => senderId === otherId && !isRead),
  )

  /** @returns false when it was not even tried, for want of a connection */
  function send(outgoing: Omit<Outgoing, 'isFailed'>): boolean {
    const { clientMessageId, content, productId } = outgoing
    const frame = { type: 'send_message', receiverId: otherId, content, productId, clientMessageId } as const
    if (socket.status() !== 'connected' || !socket.send(frame)) {
      showToast({
        title: t('messages.connectionTitle'),
        description: t('messages.notConnected'),
        tone: 'destructive',
      })
      return false
    }
    tell({ type: 'queued', outgoing })
    const giveUp = () => {
      waiting.current.delete(clientMessageId)
      tell({ type: 'notSent', clientMessageId })
      showToast({ title: t('messages.notSentTitle'), description: t('messages.notSentText'), tone: 'destructive' })
    }
    waiting.current.set(clientMessageId, setTimeout(giveUp, answerTimeoutMs))
    track('send_message', { recipient_type: 'user' })
    return true
  }

  async function loadOlder(): Promise<void> {
    const { nextCursor } = state
    if (nextCursor === null) return
    try {
      const page = await callPage(messagingRoutes.getConversation, {
        params: { userId: otherId },
        query: { limit: PAGE_MESSAGES, cursor: nextCursor },
      })
      tell({ type: 'loadedOlder', messages: page.answer, nextCursor: page.nextCursor })
    } catch {
      showToast({
        title: t('messages.conversationTitle'),
        description: t('messages.conversationText'),
        tone: 'destructive',
      })
    }
  }

  return { ...state, send, loadOlder, reload: load }
}

/** Says that what came was read, as soon as the conversation is on screen. */
function useSeen(otherId: number, hasUnread: boolean): void {
  const socket = useLiveSocket()
  useEffect(() => {
    conversationOnScreen.userId = otherId
    return () => {
      conversationOnScreen.userId = null
    }
  }, [otherId])
  useEffect(() => {
    if (!hasUnread) return
    const see = () => {
      if (document.visibilityState === 'visible') socket.send({ type: 'mark_read', senderId: otherId })
    }
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
  }, [socket, otherId, hasUnread])
}

function refusalToast({ code, message }: Extract<ServerFrame, { type: 'error' }>, t: TFunction) {
  const tone = 'destructive' as const
  if (code === 'own-message') return { title: t('contact.selfTitle'), description: t('contact.selfText'), tone }
  if (code === 'unavailable' || code === 'internal') {
    return { title: t('messages.notSentTitle'), description: t('messages.notSentText'), tone }
  }
  if (code === 'user-gone' || code === 'blocked')
    return { title: t('messages.notSentTitle'), description: message, tone }
  return { title: t('messages.errorTitle'), description: message, tone }
}
