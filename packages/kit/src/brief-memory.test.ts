import { beforeEach, describe, expect, it } from 'vitest'
import { BriefMemory } from './brief-memory.ts'

let nowMs: number
let asked: string[]
let memory: BriefMemory<string>
const find = (key: string) => () => {
  asked.push(key)
  return Promise.resolve(`${key}${asked.length}`)
}

beforeEach(() => {
  nowMs = 0
  asked = []
  memory = new BriefMemory({ ttlMs: 100, entriesMax: 2, monotonicMs: () => nowMs })
})

describe('a brief memory', () => {
  it('asks once for all who want to know the same at once, and for a while', async () => {
    expect(await Promise.all([memory.get('a', find('a')), memory.get('a', find('a'))])).toEqual(['a1', 'a1'])
    nowMs = 99
    expect(await memory.get('a', find('a'))).toBe('a1')
    nowMs = 100
    expect(await memory.get('a', find('a'))).toBe('a2')
  })

  it('forgets the oldest when it is full', async () => {
    for (const key of ['a', 'b', 'c']) await memory.get(key, find(key))
    await memory.get('b', find('b'))
    expect(asked).toEqual(['a', 'b', 'c'])
    await memory.get('a', find('a'))
    expect(asked).toEqual(['a', 'b', 'c', 'a'])
  })

  it('does not remember a failure', async () => {
    await expect(memory.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await memory.get('a', find('a'))).toBe('a1')
  })

  describe('that may give what is past its time', () => {
    beforeEach(() => {
      memory = new BriefMemory({ ttlMs: 100, staleMs: 50, entriesMax: 2, monotonicMs: () => nowMs })
    })

    it('lets nobody wait while it finds the next answer once', async () => {
      await memory.get('a', find('a'))
      nowMs = 149
      expect(await Promise.all([memory.get('a', find('a')), memory.get('a', find('a'))])).toEqual(['a1', 'a1'])
      expect(await memory.get('a', find('a'))).toBe('a2')
      expect(asked).toEqual(['a', 'a'])
    })

    it('finds anew what is too old', async () => {
      await memory.get('a', find('a'))
      nowMs = 150
      expect(await memory.get('a', find('a'))).toBe('a2')
    })

    it('keeps what it knows when the next answer cannot be had, and asks again', async () => {
      await memory.get('a', find('a'))
      nowMs = 120
      expect(await memory.get('a', () => Promise.reject(new Error('away')))).toBe('a1')
      expect(await memory.get('a', find('a'))).toBe('a1')
      expect(await memory.get('a', find('a'))).toBe('a2')
    })
  })
})
