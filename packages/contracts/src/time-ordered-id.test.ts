import { expect, it } from 'vitest'
import { z } from 'zod'
import { timeOrderedId } from './time-ordered-id.ts'

it('begins with the time and keeps what is random', () => {
  // The example of RFC 9562, appendix A.6.
  const random = '00000000-0000-4cc3-98c4-dc0c0c07398f'
  expect(timeOrderedId(0x017f22e279b0, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})

it('is a UUID of version 7, and another one each time', () => {
  const ids = Array.from({ length: 100 }, () => timeOrderedId())
  expect(new Set(ids).size).toBe(100)
  for (const id of ids) expect(z.uuidv7().parse(id)).toBe(id)
})
