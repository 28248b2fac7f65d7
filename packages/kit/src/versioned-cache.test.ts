import { beforeEach, describe, expect, it } from 'vitest'
import { VersionedCache } from './versioned-cache.ts'

let cache: VersionedCache<{ readonly name: string }>

beforeEach(() => {
  cache = new VersionedCache({ bytesMax: 100 })
})

describe('what is kept by its version', () => {
  it('is found by that version only', () => {
    cache.keep(1, 'a', { name: 'Oud' }, 10)
    expect(cache.find(1, 'a')).toEqual({ name: 'Oud' })
    expect(cache.find(1, 'b')).toBeNull()
    expect(cache.find(2, 'a')).toBeNull()
    expect([cache.has(1), cache.has(2)]).toEqual([true, false])
    cache.keep(1, 'b', { name: 'Rose' }, 10)
    expect(cache.find(1, 'a')).toBeNull()
    expect(cache.find(1, 'b')).toEqual({ name: 'Rose' })
  })

  it('takes no more than it may, and what was asked for longest ago goes first', () => {
    cache.keep(1, 'a', { name: 'Oud' }, 50)
    cache.keep(2, 'a', { name: 'Rose' }, 50)
    cache.find(1, 'a')
    cache.keep(3, 'a', { name: 'Iris' }, 50)
    expect([1, 2, 3].map((id) => cache.find(id, 'a')?.name)).toEqual(['Oud', undefined, 'Iris'])
    cache.keep(4, 'a', { name: 'Musk' }, 200)
    expect(cache.find(4, 'a')).toBeNull()
  })
})
