import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '@wangian/kit/errors.ts'
import { beforeEach, expect, it } from 'vitest'
import { createSentRows, type SentRows } from './sent-rows.ts'

interface Row {
  readonly id: number
}

let nowMs: number
let rows: SentRows<Row>
beforeEach(() => {
  nowMs = 1_000
  rows = createSentRows<Row>(() => nowMs)
})

const keep = (...ids: number[]) => {
  for (const id of ids) rows.keep(id, Promise.resolve({ id }))
}
const take = async (...ids: number[]) => (await rows.take(ids)).map(({ id }) => id)

it('of sent messages are taken once, and those of others stay', async () => {
  keep(1, 2, 3)
  expect(await take(1, 3, 9)).toEqual([1, 3])
  expect(await take(1, 2)).toEqual([2])
})

it('are waited for while they are read, and left out when they cannot be', async () => {
  const { promise, resolve } = Promise.withResolvers<Row>()
  rows.keep(1, promise)
  rows.keep(2, Promise.reject(new Failure('the database is gone')))
  // A failure that nobody has looked at by then ends the process.
  await nextTurn()
  const taken = take(1, 2)
  resolve({ id: 1 })
  expect(await taken).toEqual([1])
})

it('are nothing to rely on after a second, in which they may have changed', async () => {
  keep(1)
  nowMs += 999
  keep(2)
  nowMs += 1
  expect(await take(1, 2)).toEqual([2])
})

it('are the last ones where nobody takes them', async () => {
  const ids = Array.from({ length: 300 }, (_, index) => index + 1)
  keep(...ids)
  expect(await take(...ids)).toEqual(ids.slice(-256))
})
