import { type AuctionPage, auctionRoutes } from '@wangian/contracts/auction.ts'
import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { call, urlOf } from '../../api/client.ts'
import { useServed } from '../../api/served-answers.ts'
import { useApi } from '../../api/use-api.ts'
import { hearServerTime } from '../../lib/server-clock.ts'
import { useLiveSocket, useLiveStatus } from '../../live/use-live-socket.ts'
import { type AuctionRoom, areTermsOld, emptyRoom, foldRoom, missingBids, type RoomNews } from './auction-room.ts'
import { useIsPast } from './use-countdown.ts'

/** Where an auction stands. `deciding`: its time is over and the result is not here yet. */
export type AuctionPhase = 'scheduled' | 'live' | 'deciding' | 'ended' | 'cancelled'

/** News that arrives faster than this is shown together. */
const batchMs = 50
const catchUpPauseMs = 1_000
const catchUpPauseMaxMs = 30_000
const pollDecidingMs = 3_000
/** A bid of ours was accepted, and the frame that shows it to all should have come. */
const missedFrameMs = 1_000
const pollDisconnectedMs = 5_000
const reserveCheckMs = 10_000
const termsCheckMs = 1_000
const earlierBids = 50

export interface LiveAuction {
  /** The auction as it was last read, with its terms and its product; `null` while it loads. */
  readonly page: AuctionPage | null
  readonly error: ApiError | undefined
  readonly reload: () => void
  readonly room: AuctionRoom
  readonly phase: AuctionPhase
  readonly isConnected: boolean
  /** How often in a row no connection came about. */
  readonly failures: number
  /** Fetches bids from before those at hand. @throws {ApiError} */
  readonly loadEarlier: () => Promise<void>
}

/** Keeps an auction as it is on the server: read once, then kept up by frames, and read again after every interruption. */
export function useAuctionRoom(auctionId: number): LiveAuction {
  const input = { params: { auctionId } }
  const served = useServed(auctionRoutes.getAuction, urlOf(auctionRoutes.getAuction, input))?.answer
  const [room, takeIn] = useReducer(foldRoom, emptyRoom(auctionId), (empty) =>
    served ? foldRoom(empty, [{ type: 'loaded', page: served }]) : empty,
  )
  const live = useLiveStatus()
  const isConnected = live.status === 'connected'

  const { data, error, mutate } = useApi(auctionRoutes.getAuction, input, {
    shouldRetryOnError: (failure: ApiError) => failure.status === 0 || failure.status >= 500,
    errorRetryCount: 2,
    errorRetryInterval: 1_500,
    refreshInterval: (page) => pollEvery(page, isConnected),
    onSuccess: (page) => {
      // Corrected downwards it is by the date of each answer.
      hearServerTime(page.serverTime, null)
      takeIn([{ type: 'loaded', page }])
    },
  })
  const page = usePageWithProduct(data ?? null)
  // What the cache still holds from an earlier visit counts too.
  useEffect(() => {
    if (data) takeIn([{ type: 'loaded', page: data }])
  }, [data])

  useFrames(auctionId, takeIn)
  useCatchUp(room, takeIn)

  const wasConnected = useRef(false)
  useEffect(() => {
    if (isConnected && wasConnected.current) void mutate()
    wasConnected.current ||= isConnected
  }, [isConnected, mutate])

  const isBehind = room.acceptedSeq > room.seq
  useEffect(() => {
    if (!isBehind) return
    const timer = setTimeout(() => void mutate(), missedFrameMs)
    return () => clearTimeout(timer)
  }, [isBehind, mutate])

  // Frames do not say whether the reserve is met, and all who watch would ask at once.
  const isReserveInDoubt = data?.hasReserve && !data.reserveMet && room.seq > data.seq
  useEffect(() => {
    if (!isReserveInDoubt) return
    const timer = setTimeout(() => void mutate(), reserveCheckMs * (0.5 + Math.random()))
    return () => clearTimeout(timer)
  }, [isReserveInDoubt, mutate])

  // All who watch hear of a revision at once, and another one may come before what they ask for.
  const oldTermsAt = data && areTermsOld(room, data) ? data.serverTime : null
  useEffect(() => {
    if (oldTermsAt === null) return
    const timer = setTimeout(() => void mutate(), termsCheckMs * Math.random())
    return () => clearTimeout(timer)
  }, [oldTermsAt, mutate])

  const isStarted = useIsPast(data ? Date.parse(data.startsAt) : null)
  const isOver = useIsPast(room.live ? Date.parse(room.live.endsAt) : null)
  const phase = phaseOf(room, isStarted, isOver)
  const isUntold = phase === 'deciding' || (phase === 'cancelled' && room.cancelReason === null)
  useEffect(() => {
    if (!isUntold) return
    // The frame with the result is due now; only when it does not come do we ask. A snapshot in its place comes to all who watch at once.
    const timer = setInterval(() => void mutate(), pollDecidingMs * (0.5 + Math.random()))
    return () => clearInterval(timer)
  }, [isUntold, mutate])

  return {
    page,
    error: error as ApiError | undefined,
    reload: () => void mutate(),
    room,
    phase,
    isConnected,
    failures: live.failures,
    loadEarlier: async () => {
      const cursor = room.bids.at(-1)?.seq
      const bids = await call(auctionRoutes.listBids, { params: { auctionId }, query: { cursor, limit: earlierBids } })
      takeIn([{ type: 'bids', bids }])
    },
  }
}

/** What is auctioned does not go before its auction does: where an answer lacks it that was here already, it could not be read just then. */
function usePageWithProduct(page: AuctionPage | null): AuctionPage | null {
  const [known, setKnown] = useState<AuctionPage['product']>(null)
  if (page?.product && page.product !== known) setKnown(page.product)
  const isOpen = page !== null && page.status !== 'cancelled' && page.outcome === null
  return isOpen && !page.product ? { ...page, product: known } : page
}

function phaseOf({ live, result }: AuctionRoom, isStarted: boolean, isOver: boolean): AuctionPhase {
  const status = live?.status
  if (status === 'cancelled') return status
  // A snapshot, and whoever asks before the end is recorded, hears that it has ended and not how.
  if (status === 'ended' || isOver) return result ? 'ended' : 'deciding'
  return status === 'scheduled' && !isStarted ? 'scheduled' : 'live'
}

/** Without frames the page is still kept up, if more slowly. */
function pollEvery(page: AuctionPage | undefined, isConnected: boolean): number {
  const isOver = page?.status === 'ended' || page?.status === 'cancelled'
  return isConnected || isOver ? 0 : pollDisconnectedMs
}

type TakeIn = (news: readonly RoomNews[]) => void

/** Joins the room and passes its frames on, several at a time when they come fast. */
function useFrames(auctionId: number, takeIn: TakeIn): void {
  const socket = useLiveSocket()
  useEffect(() => {
    let waiting: RoomNews[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      timer = undefined
      if (waiting.length === 0) return
      takeIn(waiting)
      waiting = []
      timer = setTimeout(flush, batchMs)
    }
    const stopListening = socket.onFrame((frame) => {
      waiting.push({ type: 'frame', frame })
      if (timer === undefined) flush()
    })
    const leave = socket.join(auctionId)
    return () => {
      stopListening()
      leave()
      clearTimeout(timer)
    }
  }, [socket, auctionId, takeIn])
}

/** Fetches the bids that went by unseen, at most once a second, and less often while that brings nothing. */
function useCatchUp(room: AuctionRoom, takeIn: TakeIn): void {
  const missing = room.live ? missingBids(room) : null
  const cursor = missing?.cursor ?? 0
  const limit = missing?.limit ?? 0
  const pauseMs = useRef(catchUpPauseMs)
  const attemptedAtMs = useRef(Number.NEGATIVE_INFINITY)
  const fetchMissing = useCallback(async () => {
    const bids = await call(auctionRoutes.listBids, { params: { auctionId: room.auctionId }, query: { cursor, limit } })
    takeIn([{ type: 'bids', bids }])
    return bids.length > 0
  }, [room.auctionId, cursor, limit, takeIn])

  useEffect(() => {
    if (limit === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isLeft = false
    const attempt = () => {
      attemptedAtMs.current = Date.now()
      const retryLater = () => {
        if (isLeft) return
        pauseMs.current = Math.min(catchUpPauseMaxMs, Math.max(catchUpPauseMs, pauseMs.current * 2))
        timer = setTimeout(attempt, pauseMs.current)
      }
      fetchMissing().then((brought) => {
        if (brought) pauseMs.current = catchUpPauseMs
        else retryLater()
      }, retryLater)
    }
    timer = setTimeout(attempt, Math.max(0, attemptedAtMs.current + pauseMs.current - Date.now()))
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [limit, fetchMissing])
}
