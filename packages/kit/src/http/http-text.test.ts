import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { hasUnstorableText } from './http-text.ts'

describe('text', () => {
  it.each([
    ['plain', 'Oud', false],
    ['with every plane of Unicode', 'é 漢 \u{1F600} \u{10FFFF} \u0001 \uFFFE', false],
    ['with NUL', 'a\0', true],
    ['with the first half of a pair', 'a\uD83D', true],
    ['with the second half of a pair', '\uDE00a', true],
    ['with the halves in the wrong order', '\uDE00\uD83D', true],
  ])('%s', (_, text, expected) => {
    const holders: unknown[] = [
      text,
      [text],
      { a: { b: [text] } },
      { [text]: 1 },
      Object.assign(Object.create(null), { text }),
    ]
    expect(holders.map((holder) => hasUnstorableText([1, null, undefined, holder]))).toEqual(
      holders.map(() => expected),
    )
  })

  it('is not looked for in what is passed on as a stream or bytes', () => {
    expect(hasUnstorableText([Readable.from(['a\0']), Buffer.from('a\0'), new Date(0)])).toBe(false)
  })
})
