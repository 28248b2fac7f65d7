import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { invariant } from '../invariant.ts'

/**
 * Where the bytes of pictures and documents are. One has a key of our making and variants (`full.webp`, `480.jpg`); what a
 * client calls it never gets here.
 */
export interface ImageStorage {
  /** All or nothing: whoever reads meanwhile sees the old bytes or none. */
  write(key: string, variant: string, bytes: Uint8Array): Promise<void>
  read(key: string, variant: string): Promise<Buffer | null>
  /** Removes all variants; a key without any is fine. */
  remove(key: string): Promise<void>
}

/** Of our making, so that nothing a client says can become a path. */
export function isStorageKey(key: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)
}

export function isVariant(variant: string): boolean {
  return /^[a-z0-9]+\.(avif|webp|jpg|pdf|doc|docx)$/.test(variant)
}

/** Keeps pictures below a directory, which is made when it is missing. */
export function storeOnDisk(directory: string): ImageStorage {
  const folderOf = (key: string) => {
    invariant(isStorageKey(key), 'a storage key is a UUID of ours')
    // One level of folders by the first digits, because a folder with very many entries is slow.
    return join(directory, key.slice(0, 2), key)
  }
  const fileOf = (key: string, variant: string) => {
    invariant(isVariant(variant), 'a variant is named by us')
    return join(folderOf(key), variant)
  }
  return {
    async write(key, variant, bytes) {
      const path = fileOf(key, variant)
      await mkdir(dirname(path), { recursive: true })
      const unfinished = `${path}.${randomUUID()}.tmp`
      try {
        const file = await open(unfinished, 'wx')
        try {
          await file.writeFile(bytes)
          // The log will say that the picture is there: it must be on the disk before.
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(unfinished, path)
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
    },
    async read(key, variant) {
      try {
        return await readFile(fileOf(key, variant))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    async remove(key) {
      await rm(folderOf(key), { recursive: true, force: true })
    },
  }
}
