import { type Notice, noticeRoutes } from '@wangian/contracts/notices.ts'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
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
  const known = useRef(data?.count)
  useEffect(() => {
    known.current = data?.count
  })
  useEffect(() => {
    if (userId === null) return
    /** What came while nobody was connected is counted, and told of as what comes. */
    const catchUp = async () => {
      const before = known.current
      const now = await mutate()
      if (before === undefined || now === undefined || now.count <= before) return
      const [notice] = await call(noticeRoutes.listNotices, { query: { limit: 1 } })
      if (notice && !notice.isRead) setLatest(notice)
    }
    const release = socket.hold()
    const stop = socket.onFrame((frame) => {
      if (frame.type === 'notice' || frame.type === 'notices_read') {
        void mutate({ count: frame.unread }, { revalidate: false })
      }
      if (frame.type === 'notice' && !frame.notice.isRead) setLatest(frame.notice)
      // Whatever fails is asked again a minute later.
      if (frame.type === 'auth_success') catchUp().catch(() => {})
    })
    return () => {
      stop()
      release()
      setLatest(null)
    }
  }, [socket, userId, mutate])
  return userId === null ? { unread: 0, latest: null } : { unread: data?.count ?? 0, latest }
}
