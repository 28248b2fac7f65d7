import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Turns } from './turns.ts'

let turns: Turns
let begun: string[]
let cutOff: number
beforeEach(() => {
  vi.useFakeTimers()
  turns = new Turns({ underWayMax: 4, burst: 10, perSecond: 50, waitingMax: 20 })
  cutOff = 0
  begun = []
})
afterEach(() => {
  turns.stop()
  vi.useRealTimers()
})

/** @returns what ends the request */
function ask(address: string, onBegun = () => {}): () => void {
  const response = Object.assign(new EventEmitter(), { destroy: () => (cutOff += 1) })
  turns.begin(address, response as unknown as ServerResponse, () => {
    begun.push(address)
    onBegun()
  })
  return () => void response.emit('close')
}
const countOf = (address: string) => begun.filter((each) => each === address).length

it('lets a burst begin at once, and what comes beyond it as time goes by', async () => {
  const order: number[] = []
  for (let count = 0; count < 20; count++) {
    const end = ask('a', () => {
      order.push(count)
      queueMicrotask(() => end())
    })
  }
  await vi.advanceTimersByTimeAsync(0)
  expect(countOf('a')).toBe(10)
  await vi.advanceTimersByTimeAsync(100)
  expect(countOf('a')).toBe(15)
  await vi.advanceTimersByTimeAsync(90)
  expect(countOf('a')).toBe(19)
  await vi.advanceTimersByTimeAsync(20)
  expect(order).toEqual(Array.from({ length: 20 }, (_, count) => count))
})

it('lets no more than a burst begin after a rest', async () => {
  const askMany = async () => {
    for (let count = 0; count < 15; count++) {
      const end = ask('a', () => queueMicrotask(() => end()))
    }
    await vi.advanceTimersByTimeAsync(0)
  }
  await askMany()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(countOf('a')).toBe(15)
  await askMany()
  expect(countOf('a')).toBe(25)
})

it('lets others begin meanwhile', () => {
  for (let count = 0; count < 20; count++) ask('a')
  expect(countOf('a')).toBe(4)
  ask('b')
  expect(countOf('b')).toBe(1)
})

it('begins the earliest that waits when one ends, and none whose client has gone', () => {
  const ends = Array.from({ length: 4 }, () => ask('a'))
  const gone = ask('a')
  ask('a')
  gone()
  expect(countOf('a')).toBe(4)
  ends[0]?.()
  expect(countOf('a')).toBe(5)
  ends[1]?.()
  expect(countOf('a')).toBe(5)
})

it('keeps so many waiting and no more, until one of them begins', () => {
  const ends = Array.from({ length: 24 }, () => ask('a'))
  expect(cutOff).toBe(0)
  ask('a')
  expect(cutOff).toBe(1)
  ask('b')
  expect(countOf('b')).toBe(1)
  ends[0]?.()
  ask('a')
  expect(cutOff).toBe(1)
  expect(countOf('a')).toBe(5)
})
