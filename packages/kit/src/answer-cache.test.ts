import { beforeEach, describe, expect, it } from 'vitest'
import { AnswerCache } from './answer-cache.ts'

let nowMs: number
let asked: string[]
let cache: AnswerCache

beforeEach(() => {
  nowMs = 1000
  asked = []
  cache = new AnswerCache({ bytesMax: 100, monotonicMs: () => nowMs })
})

const find = (name: string) => () => {
  asked.push(name)
  return Promise.resolve(`${name}${asked.length}`)
}
const away = () => Promise.reject(new Error('away'))
const get = (name: string, { staleMs = 0 } = {}) => cache.get([name], { freshMs: 100, staleMs }, find(name))

describe('a cache of answers', () => {
  it('asks once for all who want to know the same at once, and for a while', async () => {
    expect(await Promise.all([get('a'), get('a')])).toEqual(['a1', 'a1'])
    nowMs = 1099
    expect(await get('a')).toBe('a1')
    nowMs = 1101
    expect(await get('a')).toBe('a2')
  })

  it('holds no more bytes than it may, and what was asked for longest ago goes first', async () => {
    const long = (name: string) =>
      cache.get([name], { freshMs: 100 }, () => {
        asked.push(name)
        return Promise.resolve(`${name}${'x'.repeat(33)}`)
      })
    await long('a')
    await long('b')
    await long('a')
    await long('c')
    expect(cache.bytes).toBeLessThanOrEqual(100)
    await long('a')
    expect(asked).toEqual(['a', 'b', 'c'])
    await long('b')
    expect(asked).toEqual(['a', 'b', 'c', 'b'])
  })

  it('knows what it can answer at once, be it a little old', async () => {
    expect(cache.knows(['a'])).toBe(false)
    const asking = get('a', { staleMs: 50 })
    expect(cache.knows(['a'])).toBe(false)
    await asking
    nowMs = 1149
    expect(cache.knows(['a'])).toBe(true)
    nowMs = 1151
    expect(cache.knows(['a'])).toBe(false)
  })

  it('measures answers as whoever asks does', async () => {
    const measured = (name: string) =>
      cache.get(
        [name],
        { freshMs: 100 },
        async () => name,
        () => 60,
      )
    await measured('a')
    expect(cache.bytes).toBeGreaterThan(60)
    await measured('b')
    expect(cache.bytes).toBeLessThan(100)
  })

  it('gives what is too long to be kept', async () => {
    expect(await cache.get(['a'], { freshMs: 100 }, async () => 'x'.repeat(200))).toHaveLength(200)
    expect(cache.bytes).toBe(0)
  })

  it('gives an answer to all who wait for it, however many others are asked for meanwhile', async () => {
    const answers = Array.from({ length: 50 }, (_, number) => get(`question ${number}`))
    expect(await Promise.all(answers)).toHaveLength(50)
    expect(cache.bytes).toBeLessThanOrEqual(100)
  })

  it('does not keep a failure', async () => {
    await expect(cache.get(['a'], { freshMs: 100 }, away)).rejects.toThrow('away')
    expect(await get('a')).toBe('a1')
  })

  it('keeps nothing that must be exact', async () => {
    const exact = () => cache.get(['a'], { freshMs: 0 }, find('a'))
    expect([await exact(), await exact()]).toEqual(['a1', 'a2'])
    expect(cache.bytes).toBe(0)
  })

  it('keeps null, too', async () => {
    const nothing = () =>
      cache.get(['a'], { freshMs: 100 }, () => {
        asked.push('a')
        return Promise.resolve(null)
      })
    expect([await nothing(), await nothing()]).toEqual([null, null])
    expect(asked).toEqual(['a'])
  })
})

describe('an answer past its time', () => {
  const stale = () => get('a', { staleMs: 50 })

  it('is given to all while the next is found once', async () => {
    await stale()
    nowMs = 1149
    expect(await Promise.all([stale(), stale()])).toEqual(['a1', 'a1'])
    expect(await stale()).toBe('a2')
    expect(asked).toEqual(['a', 'a'])
  })

  it('is found anew when it is too old', async () => {
    await stale()
    nowMs = 1151
    expect(await stale()).toBe('a2')
  })

  it('is kept when the next cannot be had, and asked for again', async () => {
    await stale()
    nowMs = 1120
    expect(await cache.get(['a'], { freshMs: 100, staleMs: 50 }, away)).toBe('a1')
    expect(await stale()).toBe('a1')
    expect(await stale()).toBe('a2')
  })
})
