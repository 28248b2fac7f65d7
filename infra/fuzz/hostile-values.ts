import fc, { type Arbitrary } from 'fast-check'
import { z } from 'zod'

/** A JSON Schema, as far as it is looked at here. */
interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** Long enough for every bound of a text, and short enough to be sent often. */
const LONG_LENGTHS = [31, 51, 101, 256, 501, 1001, 5001, 9000] as const
const DEPTHS = [10, 100, 1000] as const

const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Cursors that nobody was given: of the right form, with positions that no database takes. */
export const forgedCursors: readonly string[] = [
  [0.5, 1],
  [1e308, 1],
  [-1, -1],
  [1e15, 2 ** 53],
  ['0000-01-01T00:00:00.000Z', 1],
  ['+275760-09-13T00:00:00.000Z', 1],
  ['NaN', 'NaN'],
  [null, null],
  [['x'], {}],
  ['\0', 1],
  [1, 2, 3, 4, 5],
  {},
  'x',
  7,
]
  .map(cursor)
  .concat('[0.5,1]', '%00', 'AAAA', '~')

const texts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffx',
  '__proto__',
  'constructor',
  'toString',
  '0000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '9999-12-31T23:59:59.999-23:59',
  '2026-02-30T00:00:00Z',
  '1e3',
  ' 1',
  '01',
  '-1',
  '0x10',
  '9007199254740993',
  '9223372036854775808',
  'NaN',
  'Infinity',
  'null',
  'true',
  '{"a":1}',
  "'; drop table events; --",
  '%',
  '%_\\',
  '()&|!:*<->',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '\u202e\u200b\ufeff',
  'é'.normalize('NFD').repeat(20),
  '👩‍👩‍👧‍👦'.repeat(10),
  'https://[',
  'javascript:alert(1)',
  '00000000-0000-0000-0000-000000000000',
]

const numbers: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1.005,
  1e-7,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  1e21,
  1e308,
  -1e308,
  9_999_999.99,
  10_000_000,
]

/** Keys that mean something to JavaScript, as a body can have them. */
const ownPrototype: unknown = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}')

/** Nests as deep as asked. */
export function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

export const hostileText: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.constantFrom(...forgedCursors) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG_LENGTHS).map((length) => 'a'.repeat(length)) },
)

/** Anything that JSON can say and nobody wants to hear. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...numbers) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], ownPrototype) },
  { weight: 1, arbitrary: fc.constantFrom(...DEPTHS).map(nested) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

/** What a schema takes, what lies just beyond its bounds, and what is something else altogether. */
export function around(schema: z.ZodType): Arbitrary<unknown> {
  return fromShape(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Shape)
}

/** All that an enumeration takes. */
export function valuesOf(schema: z.ZodType): readonly unknown[] {
  return (z.toJSONSchema(schema, { io: 'input' }) as Shape).enum ?? []
}

function fromShape(shape: Shape): Arbitrary<unknown> {
  const likely = plausible(shape)
  return fc.oneof({ weight: 4, arbitrary: likely }, { weight: 1, arbitrary: hostileValue })
}

function plausible(shape: Shape): Arbitrary<unknown> {
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum)
  if (shape.anyOf !== undefined) return fc.oneof(...shape.anyOf.map(fromShape))
  switch (shape.type) {
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(shape.properties ?? {}).map(([name, inner]) => [name, fromShape(inner)])),
        { requiredKeys: [] },
      )
    case 'array': {
      const most = Math.min(shape.maxItems ?? 5, 20)
      return fc.array(fromShape(shape.items ?? {}), { maxLength: most + 1 })
    }
    case 'string': {
      const { minLength = 1, maxLength = 40 } = shape
      return fc.constantFrom(minLength - 1, minLength, maxLength, maxLength + 1).map((length) => 'a'.repeat(length))
    }
    case 'integer':
    case 'number': {
      const { minimum = 1, maximum = 1_000_000 } = shape
      return fc.constantFrom(minimum - 1, minimum, minimum + 1, maximum, maximum + 1)
    }
    case 'boolean':
      return fc.boolean()
    default:
      return hostileValue
  }
}
