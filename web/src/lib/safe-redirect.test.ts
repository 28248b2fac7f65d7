import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safeRedirect } from './safe-redirect.ts'

const origin = 'https://wangian.example'

describe('a redirect', () => {
  it.each(['/messages', '/auctions/7', '/products?search=a%20b#top', '/'])('to %s is followed', (target) => {
    expect(safeRedirect(target, origin)).toBe(target)
  })

  it.each([
    null,
    '',
    'messages',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    'javascript:alert(1)',
    ' /messages',
    '\u0000/messages',
  ])('to %j is not', (target) => {
    expect(safeRedirect(target, origin)).toBeNull()
  })

  it('never leaves the origin, whatever it says', () => {
    const piece = fc.constantFrom('/', '\\', '.', '..', ':', '@', '?', '#', '%2f', 'evil.example', '\t', '\n', 'https:')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const target = safeRedirect(pieces.join(''), origin)
        if (target !== null) expect(new URL(target, origin).origin).toBe(origin)
      }),
    )
  })
})
