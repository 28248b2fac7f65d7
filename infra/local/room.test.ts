import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findLittleRoom } from './room.ts'

const mebibyte = 1024 ** 2

it('little room is said with where it is missing', () => {
  const dataDir = tmpdir()
  expect(findLittleRoom(dataDir, Number.MAX_SAFE_INTEGER)).toMatch(
    /^Only \d+ MB are left on the disk of .+ \(DATA_DIR\)\. A new one needs 100 MB, .+ Make room there\.$/,
  )
  expect(findLittleRoom(dataDir, mebibyte)).toBeNull()
})

it('nothing is said of a folder that is not there', () => {
  expect(findLittleRoom(join(tmpdir(), 'nowhere', 'at', 'all'), Number.MAX_SAFE_INTEGER)).toBeNull()
})
