import { messagingRoutes, type Order } from '@wangian/contracts/messaging.ts'
import { useEffect, useRef } from 'react'
import useSWRInfinite from 'swr/infinite'
import { callPage, type PageOf, urlOf } from '../../api/client.ts'
import { useApi } from '../../api/use-api.ts'
import { useLiveSocket } from '../../live/use-live-socket.ts'
import { useUser } from '../../session/use-session.ts'

const PAGE_ORDERS = 20

/** Which side of a deal somebody is on. */
export type Side = 'bought' | 'sold'

/** What the signed-in person has bought or sold, the latest first, page after page; read again when a deal goes on. */
export function useOrders(side: Side) {
  const userId = useUser()?.id
  const route = side === 'bought' ? messagingRoutes.listOrders : messagingRoutes.listSales
  const { data, error, size, setSize, isValidating, mutate } = useSWRInfinite<PageOf<Order[]>, Error>(
    (_: number, previous: PageOf<Order[]> | null) =>
      userId === undefined || (previous && previous.nextCursor === null)
        ? null
        : [urlOf(route, {}), userId, previous?.nextCursor ?? null],
    ([, , cursor]: readonly [string, number, string | null]) =>
      callPage(route, { query: { limit: PAGE_ORDERS, cursor: cursor ?? undefined } }),
    { revalidateOnMount: true },
  )
  useDealNews(() => void mutate())
  return {
    orders: data?.flatMap((page) => page.answer),
    error,
    hasMore: data?.at(-1)?.nextCursor != null,
    isLoadingMore: isValidating && data !== undefined && data.length < size,
    showMore: () => void setSize(size + 1),
    reload: () => void mutate(),
  }
}

/** One order of somebody's, bought or sold. */
export function useOrder(orderId: number) {
  const order = useApi(messagingRoutes.getOrder, { params: { orderId } }, { revalidateOnMount: true })
  useDealNews(() => void order.mutate())
  return order
}

/** The cards that wait for the signed-in person. */
export function useWaitingCards() {
  const cards = useApi(messagingRoutes.listWaiting, {}, { revalidateOnMount: true })
  useDealNews(() => void cards.mutate())
  return cards
}

/** Calls when a deal of the signed-in person may have gone on. */
function useDealNews(onNews: () => void): void {
  const socket = useLiveSocket()
  const latest = useRef(onNews)
  useEffect(() => {
    latest.current = onNews
  })
  useEffect(
    () =>
      socket.onFrame((frame) => {
        const isCard =
          (frame.type === 'new_message' || frame.type === 'message_sent') && frame.message.actionType !== null
        // The connection was away, and with it whatever came meanwhile.
        const isBack = frame.type === 'auth_success'
        if (isCard || isBack || frame.type === 'action_confirmed') latest.current()
      }),
    [socket],
  )
}
