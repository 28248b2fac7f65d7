import { type Notice, noticeRoutes } from '@wangian/contracts/notices.ts'
import { useEffect, useState } from 'react'
import { useApi } from '../api/use-api.ts'
import { useUser } from '../session/use-session.ts'
import { useLiveSocket } from './use-live-socket.ts'

/** Live frames may get lost. */
const pollMs = 60_000
const staleAfterMs = 10_000
const retriesMax = 3

/** How many notices the signed-in person has not read, as it changes, and the one that has come last while they were looking. */
export function useNoticeNews(): { unread: number; latest: Notice | null } {
  const socket = useLiveSocket()
  const userId = useUser()?.id ?? null
  const [latest, setLatest] = useState<Notice | null>(null)
  const { data, mutate } = useApi(noticeRoutes.countNotices, userId === null ? null : {}, {
    refreshInterval: pollMs,
    dedupingInterval: staleAfterMs,
    shouldRetryOnError: true,
    errorRetryCount: retriesMax,
  })
  useEffect(() => {
    if (userId === null) return
    const release = socket.hold()
    const stop = socket.onFrame((frame) => {
      if (frame.type === 'notice' || frame.type === 'notices_read') {
        void mutate({ count: frame.unread }, { revalidate: false })
      }
      if (frame.type === 'notice' && !frame.notice.isRead) setLatest(frame.notice)
      // What came while nobody was connected.
      if (frame.type === 'auth_success') void mutate()
    })
    return () => {
      stop()
      release()
      setLatest(null)
    }
  }, [socket, userId, mutate])
  return userId === null ? { unread: 0, latest: null } : { unread: data?.count ?? 0, latest }
}
