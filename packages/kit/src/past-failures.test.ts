import { afterEach, expect, it, vi } from 'vitest'
import { pastFailures } from './past-failures.ts'

afterEach(() => vi.restoreAllMocks())

/** @param tookMs how long each failure seems to take */
async function outcome(failing: readonly number[], { tookMs = 0, signal }: { tookMs?: number; signal?: AbortSignal }) {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const tried: number[] = []
  const act = async (item: number) => {
    tried.push(item)
    if (!failing.includes(item)) return
    nowMs += tookMs
    throw new Error(`no ${item}`)
  }
  const error = await pastFailures([1, 2, 3, 4], act, signal).catch((failure: Error) => failure)
  return { tried, error }
}

it('goes past what fails, and says so then', async () => {
  const { tried, error } = await outcome([1, 3], {})
  expect(tried).toEqual([1, 2, 3, 4])
  expect(error).toMatchObject({ message: 'failed for 2 of 4', cause: { message: 'no 1' } })
})

it('says nothing where nothing fails', async () => {
  expect((await outcome([], {})).error).toBeUndefined()
})

it('stops where failing takes long, as it would for all others', async () => {
  expect((await outcome([1, 2, 3, 4], { tookMs: 6_000 })).tried).toEqual([1, 2])
})

it('stops when it is told to', async () => {
  expect((await outcome([], { signal: AbortSignal.abort() })).tried).toEqual([])
})
