import { describe, expect, it } from 'vitest'
import { imageSource, imageWidths, picturesOf } from './image-source.ts'

describe('a picture', () => {
  it('is found by its name, its path or its address', () => {
    expect(imageSource('0b7c-abc')).toBe('/api/images/0b7c-abc')
    expect(imageSource('/drawings/a.svg')).toBe('/drawings/a.svg')
    expect(imageSource('https://example.com/a.jpg')).toBe('https://example.com/a.jpg')
    expect(imageSource('HTTPS://example.com/a.jpg')).toBe('HTTPS://example.com/a.jpg')
    expect(imageSource('a/../b')).toBe('/api/images/a%2F..%2Fb')
  })

  it('is a placeholder where there is none', () => {
    for (const none of [null, undefined, '']) expect(imageSource(none)).toBe('/placeholder.jpg')
  })

  it('comes in several widths when it is ours', () => {
    expect(imageWidths('/api/images/abc')).toBe(
      '/api/images/abc?w=160 160w, /api/images/abc?w=480 480w, /api/images/abc?w=720 720w, /api/images/abc?w=960 960w, /api/images/abc?w=1600 1600w',
    )
    expect(imageWidths('https://example.com/a.jpg')).toBeUndefined()
  })
})

describe('the pictures of a listing', () => {
  it('begin with the main one', () => {
    const images = [
      { imageUrl: 'second-1', imageOrder: 2 },
      { imageUrl: 'main-001', imageOrder: 0, tint: '#c8b9a1' },
    ]
    expect(picturesOf({ imageUrl: 'own-0001', images })).toEqual([
      { src: '/api/images/main-001', tint: '#c8b9a1' },
      { src: '/api/images/second-1' },
    ])
  })

  it('are its own address when none was uploaded', () => {
    expect(picturesOf({ imageUrl: 'own-0001', images: [] })).toEqual([{ src: '/api/images/own-0001' }])
    expect(picturesOf({ imageUrl: null, images: [] })).toEqual([{ src: '/placeholder.jpg' }])
  })
})
