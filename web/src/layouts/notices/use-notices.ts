import { type Notice, noticeRoutes } from '@wangian/contracts/notices.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSWRConfig } from 'swr'
import useSWRInfinite from 'swr/infinite'
import { call, callPage, type PageOf, urlOf } from '../../api/client.ts'
import { useLiveSocket } from '../../live/use-live-socket.ts'
import { useUser } from '../../session/use-session.ts'

const PAGE_NOTICES = 20

/** The signed-in person's notices, the latest first, page after page, with what comes meanwhile. */
export function useNotices() {
  const userId = useUser()?.id
  const { mutate: mutateAny } = useSWRConfig()
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<PageOf<Notice[]>, Error>(
    (_: number, previous: PageOf<Notice[]> | null) =>
      userId === undefined || (previous && previous.nextCursor === null)
        ? null
        : [urlOf(noticeRoutes.listNotices, {}), userId, previous?.nextCursor ?? null],
    ([, , cursor]: readonly [string, number, string | null]) =>
      callPage(noticeRoutes.listNotices, { query: { limit: PAGE_NOTICES, cursor: cursor ?? undefined } }),
    // Also for who opens it again at once: what they have read meanwhile is told to nobody while it is closed.
    { revalidateOnMount: true, dedupingInterval: 0 },
  )
  const [news, setNews] = useState<readonly Notice[]>([])
  const lastId = useRef(0)
  /** The list knows all that came before it was asked for. */
  const readAgain = useCallback(async () => {
    const upTo = lastId.current
    await mutate()
    setNews((told) => told.filter(({ id }) => id > upTo))
  }, [mutate])
  const socket = useLiveSocket()
  useEffect(
    () =>
      socket.onFrame((frame) => {
        if (frame.type === 'notice') {
          lastId.current = Math.max(lastId.current, frame.notice.id)
          setNews((before) => newestOfEach([frame.notice, ...before]))
        }
        // Read here or elsewhere, or missed meanwhile.
        if (frame.type === 'notices_read' || frame.type === 'auth_success') void readAgain()
      }),
    [socket, readAgain],
  )
  const pages = data?.flatMap((page) => page.answer)
  async function read(body: { id: number } | { upTo: number }) {
    // It may be the last thing that is done on this page.
    const count = await call(noticeRoutes.readNotices, { body }, { outlivesPage: true })
    await mutateAny(urlOf(noticeRoutes.countNotices, {}), count, { revalidate: false })
  }
  return {
    notices: pages && newestOfEach([...news, ...pages]),
    error,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
    read,
    /** The same, and the list says so. */
    readAll: async (upTo: number) => {
      await read({ upTo })
      await readAgain()
    },
  }
}

/** Of what says something of the same the first, the latest in front. */
function newestOfEach(notices: readonly Notice[]): Notice[] {
  const byKey = new Map<string, Notice>()
  for (const notice of notices) if (!byKey.has(notice.key)) byKey.set(notice.key, notice)
  return [...byKey.values()].sort((one, other) => other.id - one.id)
}
