import { ringgitFromSen, senFromRinggit } from '@wangian/contracts/money.ts'
import { useEffect, useRef, useState } from 'react'

/** What a person typed as ringgit; `null` when that is no amount of money. */
export function parseAmount(typed: string): number | null {
  const trimmed = typed.trim()
  if (trimmed === '') return null
  const amount = Number(trimmed)
  return senFromRinggit(amount) === null ? null : amount
}

/** The form a field shows an amount in. */
export function fieldText(ringgit: number): string {
  return ringgit.toFixed(2)
}

/** So many increments on top of what the field says, or of the minimum when that is not enough for a bid. */
export function stepUp(typed: string, minimum: number, increment: number, steps: number): number {
  const amount = parseAmount(typed)
  const base = amount !== null && amount >= minimum ? amount : minimum
  // In sen, since 55.10 + 0.10 is not 55.20 in floating point.
  return ringgitFromSen(senOf(base) + steps * senOf(increment))
}

/** Whether nobody has bid more than an accepted amount: the next bid need not be higher than one increment above it. */
export function isHighest(accepted: number, minimum: number, increment: number): boolean {
  return senOf(minimum) <= senOf(accepted) + senOf(increment)
}

function senOf(ringgit: number): number {
  return Math.round(ringgit * 100)
}

/** After an accepted bid the field stays as it is, and further presses are no bids: they belong to the one that was accepted. */
const SETTLE_MS = 1_000
/** Nobody reads a new amount and presses within this. */
const READING_MS = 700

export interface BidField {
  readonly text: string
  /** Somebody else has bid since the amount was entered, and it is not enough any more. */
  readonly isOvertaken: boolean
  /** A bid was accepted a moment ago. */
  readonly isSettling: boolean
  /** Whether what it shows is there by itself and so new that nobody can have meant it. */
  readonly hasJustMoved: () => boolean
  readonly type: (text: string) => void
  readonly step: (steps: number) => void
  /** Back to the minimum, which it follows from then on. */
  readonly reset: () => void
  /** What it shows was accepted as a bid: it goes back to the minimum, but not under the pointer. */
  readonly settle: () => void
}

/**
 * The bid field: it shows the minimum and follows it, until a person enters an amount of their own, which is never
 * overwritten. An empty field stays empty.
 */
export function useBidField(minimum: number, increment: number): BidField {
  const [own, setOwn] = useState<{ text: string; minimum: number; isSettling?: true } | null>(null)
  const movedAtMs = useRef(Number.NEGATIVE_INFINITY)
  const text = own?.text ?? fieldText(minimum)
  const amount = parseAmount(text)
  const isSettling = own?.isSettling === true

  const shown = useRef(text)
  useEffect(() => {
    if (shown.current !== text && own === null) movedAtMs.current = performance.now()
    shown.current = text
  }, [text, own])

  useEffect(() => {
    if (!isSettling) return
    const timer = setTimeout(() => setOwn((now) => (now?.isSettling ? null : now)), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isSettling])

  return {
    text,
    isOvertaken: own !== null && !isSettling && minimum > own.minimum && amount !== null && amount < minimum,
    isSettling,
    hasJustMoved: () => own === null && performance.now() - movedAtMs.current < READING_MS,
    type: (typed) => setOwn({ text: typed, minimum }),
    step: (steps) => setOwn({ text: fieldText(stepUp(text, minimum, increment, steps)), minimum }),
    reset: () => {
      shown.current = fieldText(minimum)
      setOwn(null)
    },
    settle: () => setOwn({ text, minimum, isSettling: true }),
  }
}
