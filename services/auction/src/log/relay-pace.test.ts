import { beforeEach, describe, expect, it } from 'vitest'
import { RelayPace } from './relay-pace.ts'

let nowMs: number
let pace: RelayPace
beforeEach(() => {
  nowMs = 100_000
  pace = new RelayPace(() => nowMs)
})

/** So many events a second, in batches of 10 ms. */
function run(eventsPerS: number, durationMs: number): void {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 10) {
    nowMs += 10
    pace.note(eventsPerS / 100)
  }
}

describe('the pace of the relay', () => {
  it('is not slowed when nothing happens, or little', () => {
    expect(pace.waitMs()).toBe(0)
    run(90, 1000)
    expect(pace.waitMs()).toBe(0)
  })

  it('gathers while bids come briskly', () => {
    run(500, 1000)
    expect(pace.waitMs()).toBe(40)
  })

  it('is slowed while a burst lasts', () => {
    run(5000, 600)
    expect(pace.waitMs()).toBe(400)
  })

  it('only gathers after one large batch of a calm second', () => {
    pace.note(600)
    nowMs += 1000
    expect(pace.waitMs()).toBe(40)
  })

  it('is let go when the burst is over', () => {
    run(5000, 600)
    nowMs += 250
    pace.waitMs()
    nowMs += 250
    expect(pace.waitMs()).toBe(0)
  })
})
