import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { forgetFile, forgetFiles, keepFile, readFiles } from './picture-vault.ts'

const picture = new File([new Uint8Array([1, 2, 3])], 'oud.jpg', { type: 'image/jpeg' })

beforeEach(async () => {
  for (const draft of ['draft', 'draft:3:new', 'draft:33:new', 'draft:3:new-auction']) await forgetFiles(draft)
})

const keysOf = async (draft: string) => [...(await readFiles(draft)).keys()]

describe('the picture vault', () => {
  it('gives a file back as it was', async () => {
    expect(await keepFile('draft:3:new', 'a', picture)).toBe(true)
    const found = (await readFiles('draft:3:new')).get('a')
    expect(found).toMatchObject({ name: 'oud.jpg', type: 'image/jpeg', size: 3 })
    expect([...new Uint8Array((await found?.arrayBuffer()) ?? [])]).toEqual([1, 2, 3])
  })

  it('keeps the drafts apart, whatever their names begin with', async () => {
    await keepFile('draft:3:new', 'a', picture)
    await keepFile('draft:33:new', 'b', picture)
    await keepFile('draft:3:new-auction', 'c', picture)
    expect(await keysOf('draft:3:new')).toEqual(['a'])
    await forgetFiles('draft:3:new')
    expect(await keysOf('draft:3:new')).toEqual([])
    expect(await keysOf('draft:33:new')).toEqual(['b'])
    expect(await keysOf('draft:3:new-auction')).toEqual(['c'])
  })

  it('forgets one file, and one that is not there', async () => {
    await keepFile('draft', 'a', picture)
    await keepFile('draft', 'b', picture)
    await forgetFile('draft', 'a')
    await forgetFile('draft', 'a')
    expect(await keysOf('draft')).toEqual(['b'])
  })

  it('keeps nothing, and breaks nothing, where there is no database', async () => {
    vi.stubGlobal('indexedDB', undefined)
    vi.resetModules()
    const without = await import('./picture-vault.ts')
    expect(await without.keepFile('draft', 'a', picture)).toBe(false)
    expect(await without.readFiles('draft')).toEqual(new Map())
    await without.forgetFile('draft', 'a')
    await without.forgetFiles('draft')
    vi.unstubAllGlobals()
  })
})
