import { beforeEach, describe, expect, it } from 'vitest'
import { GatheredLookup } from './gathered-lookup.ts'

interface Asked {
  readonly keys: readonly number[]
  readonly answer: (found: ReadonlyMap<number, string>) => void
  readonly fail: (error: unknown) => void
}

let asked: Asked[]
let lookup: GatheredLookup<number, string>

beforeEach(() => {
  asked = []
  lookup = new GatheredLookup((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<number, string>>()
    asked.push({ keys, answer: resolve, fail: reject })
    return promise
  })
})

const keysAsked = () => asked.map(({ keys }) => keys)

/** Ends one that is under way, with a name for each key but 0. */
function answer(index: number): void {
  const { keys = [], answer: tell } = asked[index] ?? {}
  tell?.(new Map(keys.filter((key) => key !== 0).map((key) => [key, `of ${key}`])))
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

describe('a gathered lookup', () => {
  it('asks at once for what comes alone, and together for what comes while two are under way', async () => {
    const all = [1, 2, 3, 0, 4].map((key) => lookup.find(key))
    expect(keysAsked()).toEqual([[1], [2]])
    answer(1)
    await soon()
    expect(keysAsked()).toEqual([[1], [2], [3, 0, 4]])
    answer(0)
    answer(2)
    expect(await Promise.all(all)).toEqual(['of 1', 'of 2', 'of 3', undefined, 'of 4'])
  })

  it('asks once for what several wait for, and again for what is under way, since it may have changed', async () => {
    const all = [1, 2, 1, 3, 1].map((key) => lookup.find(key))
    answer(0)
    await soon()
    expect(keysAsked()).toEqual([[1], [2], [1, 3]])
    answer(1)
    answer(2)
    expect(await Promise.all(all)).toEqual(['of 1', 'of 2', 'of 1', 'of 3', 'of 1'])
  })

  it('fails for those alone whose lookup failed, and goes on', async () => {
    const all = Promise.allSettled([1, 2, 3].map((key) => lookup.find(key)))
    asked[0]?.fail(new Error('away'))
    await soon()
    answer(1)
    answer(2)
    expect(await all).toMatchObject([
      { status: 'rejected', reason: { message: 'away' } },
      { value: 'of 2' },
      { value: 'of 3' },
    ])
    expect(keysAsked()).toEqual([[1], [2], [3]])
  })

  it('asks for a hundred at most', async () => {
    const all = Array.from({ length: 203 }, (_, key) => lookup.find(key))
    for (const index of [0, 1, 2, 3, 4]) {
      answer(index)
      await soon()
    }
    expect(keysAsked().map((keys) => keys.length)).toEqual([1, 1, 100, 100, 1])
    expect((await Promise.all(all))[202]).toBe('of 202')
  })
})
