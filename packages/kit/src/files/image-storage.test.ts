import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ImageStorage, storeOnDisk } from './image-storage.ts'

const key = '3f2a0c11-0000-4000-8000-000000000001'

let directory: string
let storage: ImageStorage
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wangian-images-'))
  storage = storeOnDisk(join(directory, 'images'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const files = async () => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

describe('storage on disk', () => {
  it('reads what was written, and nothing else', async () => {
    await storage.write(key, 'full.webp', Buffer.from('one'))
    expect(await storage.read(key, 'full.webp')).toEqual(Buffer.from('one'))
    expect(await storage.read(key, '480.webp')).toBeNull()
    expect(await files()).toEqual([join(directory, 'images', '3f', key, 'full.webp')])
  })

  it('replaces, and leaves no unfinished file', async () => {
    await Promise.all(['a', 'b', 'c'].map((text) => storage.write(key, '480.jpg', Buffer.from(text.repeat(1000)))))
    expect((await storage.read(key, '480.jpg'))?.toString()).toMatch(/^(a{1000}|b{1000}|c{1000})$/)
    expect(await files()).toHaveLength(1)
  })

  it('removes all variants', async () => {
    await storage.write(key, 'full.webp', Buffer.from('one'))
    await storage.write(key, '480.webp', Buffer.from('two'))
    await storage.remove(key)
    await storage.remove(key)
    expect(await files()).toEqual([])
  })

  it.each([
    ['../../etc/passwd', 'full.webp'],
    [`../${key}`, 'full.webp'],
    [key, '../full.webp'],
    [key, 'full.webp/../../x'],
    ['', 'full.webp'],
  ])('refuses the key %j with variant %j', async (wrongKey, variant) => {
    await expect(storage.write(wrongKey, variant, Buffer.from('x'))).rejects.toThrow()
    await expect(storage.read(wrongKey, variant)).rejects.toThrow()
    expect(await files()).toEqual([])
  })
})
