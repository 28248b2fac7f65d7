import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { picture } from '../testing/pictures.ts'
import { storeOnDisk } from './image-storage.ts'
import { createPictureFiles } from './picture-files.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wangian-pictures-'))
})
afterEach(() => rm(directory, { recursive: true }))

it('leave nothing of a picture that is discarded while another width or format of it is being made', async () => {
  const disk = storeOnDisk(directory)
  const { storageKey } = await createPictureFiles(disk).keep(await picture())
  const files = createPictureFiles({
    ...disk,
    async write(...file) {
      await files.discard(storageKey)
      await disk.write(...file)
    },
  })
  await files.variant(storageKey, 160, 'webp')
  const left = await readdir(directory, { recursive: true, withFileTypes: true })
  expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([])
})
