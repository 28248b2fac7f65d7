import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { type Conversation, MESSAGES_AT_ONCE_MAX, messagingRoutes } from '@wangian/contracts/messaging.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { shownMessage } from '../../api/api-error.ts'
import { callPage } from '../../api/client.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useLiveSocket } from '../../live/use-live-socket.ts'
import { showToast } from '../../ui/toast-store.ts'
import { withFrame, withPage } from './conversation-list-state.ts'

const PAGE_CONVERSATIONS = 50

/** All of somebody's conversations, as they change. */
export function useConversations(ownId: number) {
  const { t } = useTranslation()
  const socket = useLiveSocket()
  const [status, setStatus] = useState<'loading' | 'ready' | 'failed'>('loading')
  const [conversations, setConversations] = useState<readonly Conversation[]>([])
  const [nextCursor, setNextCursor] = useState<string | null>(null)
  const [isRefreshing, setRefreshing] = useState(false)
  // What was asked for further down stays there when all is read again, which every return to the tab does.
  const openCount = useRef(PAGE_CONVERSATIONS)
  /** What comes while a page is asked for, of each: its answer may not know of it. */
  const meanwhile = useRef(new Set<ServerFrame[]>())

  const load = useCallback(
    async (cursor?: string) => {
      const frames: ServerFrame[] = []
      meanwhile.current.add(frames)
      setRefreshing(true)
      try {
        const query =
          cursor === undefined
            ? { limit: Math.min(openCount.current, MESSAGES_AT_ONCE_MAX) }
            : { limit: PAGE_CONVERSATIONS, cursor }
        const page = await callPage(messagingRoutes.listConversations, { query })
        if (cursor !== undefined) openCount.current += PAGE_CONVERSATIONS
        setConversations((known) =>
          frames.reduce(
            (list, frame) => withFrame(list, frame, ownId),
            withPage(cursor === undefined ? [] : known, page.answer),
          ),
        )
        setNextCursor(page.nextCursor)
        setStatus('ready')
      } catch (error) {
        setStatus((known) => (known === 'ready' ? known : 'failed'))
        showToast({ title: t('messages.loadTitle'), description: shownMessage(error), tone: 'destructive' })
      } finally {
        meanwhile.current.delete(frames)
        setRefreshing(false)
      }
    },
    [ownId, t],
  )

  /** One that is further down than what is here, by its last message. Whatever fails is asked again with the next message. */
  const bring = useCallback(async (lastMessageId: number) => {
    const query = { limit: 1, cursor: String(lastMessageId + 1) }
    const page = await callPage(messagingRoutes.listConversations, { query }).catch(() => null)
    if (page) setConversations((known) => withPage(known, page.answer))
  }, [])

  useEffect(() => {
    void load()
  }, [load])
  useEffect(
    () =>
      socket.onFrame((frame) => {
        // The connection was away, and with it whatever came meanwhile.
        if (frame.type === 'auth_success') void load()
        for (const frames of meanwhile.current) frames.push(frame)
        setConversations((known) => withFrame(known, frame, ownId))
      }),
    [socket, ownId, load],
  )

  return {
    status,
    conversations,
    isRefreshing,
    reload: () => load(),
    bring,
    showMore: nextCursor === null ? null : () => load(nextCursor),
  }
}
