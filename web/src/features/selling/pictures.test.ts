import { IMAGE_BYTES_MAX } from '@wangian/contracts/pictures.ts'
import { describe, expect, it } from 'vitest'
import { keptPictures, type ListingPicture, withFiles, withMoved } from './pictures.ts'

function file(name: string, type = 'image/jpeg', size = 3): File {
  return new File([new Uint8Array(size)], name, { type })
}

const kept = keptPictures([
  { id: 12, imageUrl: 'second-one', imageOrder: 1 },
  { id: 11, imageUrl: 'first-one', imageOrder: 0 },
])

describe('files that are chosen', () => {
  it('come after the pictures that are there, each with a key of its own', () => {
    let count = 0
    const { pictures, added, problem } = withFiles(kept, [file('a.jpg'), file('b.png', 'image/png')], () => {
      count += 1
      return `key-${count}`
    })
    expect(pictures.map(({ key }) => key)).toEqual(['image-11', 'image-12', 'key-1', 'key-2'])
    expect(added).toHaveLength(2)
    expect(problem).toBeNull()
  })

  it('are up to five, counting those that are there already', () => {
    const files = ['1', '2', '3', '4'].map((name) => file(name))
    const { pictures, problem } = withFiles(kept, files)
    expect(pictures).toHaveLength(5)
    expect(problem).toBe('full')
    expect(withFiles(pictures, [file('6')]).pictures).toHaveLength(5)
  })

  it.each([
    ['image/jpeg', 3, null],
    ['image/png', 3, null],
    ['image/gif', 3, null],
    ['image/webp', IMAGE_BYTES_MAX, null],
    ['image/heic', 3, 'Invalid file type: Please select an image file (JPEG, PNG, etc.)'],
    ['image/svg+xml', 3, 'Invalid file type: Please select an image file (JPEG, PNG, etc.)'],
    ['', 3, 'Invalid file type: Please select an image file (JPEG, PNG, etc.)'],
    ['image/jpeg', IMAGE_BYTES_MAX + 1, 'File too large: Please select an image smaller than 5MB'],
  ])('of type %s with %i bytes lead to %s', (type, size, problem) => {
    const result = withFiles([], [file('good.jpg'), file('this', type, size)])
    expect(result.problem).toBe(problem)
    // What is right is taken all the same.
    expect(result.pictures).toHaveLength(problem === null ? 2 : 1)
  })
})

describe('a picture', () => {
  const keys = (pictures: readonly ListingPicture[]) => pictures.map(({ key }) => key)
  it('moves to another place, and no further than the ends', () => {
    expect(keys(withMoved(kept, 1, 0))).toEqual(['image-12', 'image-11'])
    expect(keys(withMoved(kept, 0, 9))).toEqual(['image-12', 'image-11'])
    expect(keys(withMoved(kept, 0, -1))).toEqual(['image-11', 'image-12'])
    expect(withMoved(kept, 7, 0)).toBe(kept)
  })
})
