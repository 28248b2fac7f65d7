import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Turns } from './turns.ts'

let turns: Turns
let begun: string[]
let cutOff: number
beforeEach(() => {
  turns = new Turns({ underWayMax: 4, burst: 10, perSecond: 50, waitingMax: 20 })
  cutOff = 0
  begun = []
})
afterEach(() => turns.stop())

/** @returns what ends the request */
function ask(address: string): () => void {
  const response = Object.assign(new EventEmitter(), { destroy: () => (cutOff += 1) })
  turns.begin(address, response as unknown as ServerResponse, () => begun.push(address))
  return () => void response.emit('close')
}
const countOf = (address: string) => begun.filter((each) => each === address).length

it('lets a burst begin at once, and what comes beyond it as time goes by', async () => {
  const startedAtMs = performance.now()
  for (let count = 0; count < 20; count++) {
    const end = ask('a')
    // Those that wait end when they have begun.
    if (countOf('a') === count + 1) end()
    else void eventually(() => expect(countOf('a')).toBeGreaterThan(count)).then(end)
  }
  expect(countOf('a')).toBeGreaterThanOrEqual(10)
  expect(countOf('a')).toBeLessThan(20)
  await eventually(() => expect(countOf('a')).toBe(20))
  expect(performance.now() - startedAtMs).toBeGreaterThan(190)
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
