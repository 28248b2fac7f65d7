import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { en } from 'zod/locales'
import { plainMessage } from './messages.ts'
import { MessageContent } from './messaging.ts'
import type { Route } from './route.ts'
import { routesByService } from './routes.ts'

/** A JSON Schema, as far as it bounds values. */
interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

const parts = Object.entries(routesByService).flatMap(([service, routes]) =>
  Object.entries<Route>(routes).flatMap(([name, route]) =>
    (['params', 'query', 'body'] as const).flatMap((part) => {
      const schema = route[part]
      return schema === undefined ? [] : [[`${service}.${name} ${part}`, schema] as const]
    }),
  ),
)

const strangers: readonly unknown[] = [undefined, null, 'no such thing', '', -7, 0.5, true, [], {}, 1e300]

/** Values that break each rule, one at a time: a whole request for each of them. */
function violations(shape: Shape): unknown[] {
  const own: unknown[] = [...strangers]
  if (shape.minLength) own.push('a'.repeat(shape.minLength - 1))
  if (shape.maxLength !== undefined) own.push('a'.repeat(shape.maxLength + 1))
  if (shape.minimum !== undefined) own.push(shape.minimum - 1, String(shape.minimum - 1))
  if (shape.exclusiveMinimum !== undefined) own.push(shape.exclusiveMinimum)
  if (shape.maximum !== undefined) own.push(shape.maximum + 1, String(shape.maximum + 1))
  if (shape.minItems) own.push(Array(shape.minItems - 1).fill(1))
  if (shape.maxItems !== undefined) own.push(Array(shape.maxItems + 1).fill(1), Array(shape.maxItems + 1).fill('a'))
  for (const inner of shape.anyOf ?? []) own.push(...violations(inner))
  if (shape.items !== undefined) own.push(...violations(shape.items).map((item) => [item]))
  for (const [name, inner] of Object.entries(shape.properties ?? {}))
    own.push(...violations(inner).map((value) => ({ [name]: value })))
  return own
}

function shapeOf(schema: z.ZodType): Shape {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Shape
}

/** What zod would have said. */
function rawMessage(issue: z.core.$ZodIssue): string {
  const said = en().localeError(issue as z.core.$ZodRawIssue)
  return typeof said === 'string' ? said : (said?.message ?? '')
}

describe('what a person is told of a request that does not fit', () => {
  it.each([...parts, ['the text of a message', MessageContent] as const])('is plain: %s', (_name, schema) => {
    for (const value of violations(shapeOf(schema))) {
      const { error } = schema.safeParse(value, { error: plainMessage, reportInput: true })
      for (const issue of error?.issues ?? []) {
        const { message } = issue
        expect(message).not.toBe(rawMessage(issue))
        expect(message).not.toMatch(
          /expected|received|invalid input|^Too (small|big)|string|object|undefined|NaN|Infinity/i,
        )
        // The rule that was broken is the one that is told.
        if (issue.code === 'too_big') expect(message).not.toMatch(/at least|or greater|greater than|is required/)
        if (issue.code === 'too_small') expect(message).not.toMatch(/at most|or less|less than/)
      }
    }
  })

  it.each([
    [z.object({ name: z.string().max(120) }), { name: 'a'.repeat(121) }, 'Name must be 120 characters or less'],
    [z.object({ name: z.string().min(3) }), { name: 'a' }, 'Name must be at least 3 characters'],
    [z.object({ reason: z.string().min(1) }), { reason: '' }, 'Reason is required'],
    [z.object({ categoryId: z.int() }), {}, 'Category id is required'],
    [
      z.object({ stockQuantity: z.int().max(100_000) }),
      { stockQuantity: 1e6 },
      'Stock quantity must be 100,000 or less',
    ],
    [z.object({ limit: z.int().min(1) }), { limit: 0 }, 'Limit must be 1 or greater'],
    [z.object({ amount: z.number().positive() }), { amount: 0 }, 'Amount must be greater than 0'],
    [z.object({ limit: z.int() }), { limit: 2 ** 60 }, 'Limit is not valid'],
    [z.object({ ids: z.array(z.int()).max(1) }), { ids: [1, 2] }, 'Ids must be 1 entry or less'],
    [z.object({ imageUrl: z.url() }), { imageUrl: 'x' }, 'Image address is not valid'],
    [z.object({ ids: z.array(z.int()) }), { ids: ['x'] }, 'Ids is not valid'],
    [z.object({ first_name: z.string() }), { first_name: 7 }, 'First name is not valid'],
    [z.object({}), 'x', 'Request is not valid'],
  ])('names the field and the bound: %#', (schema, value, message) => {
    expect(schema.safeParse(value, { error: plainMessage }).error?.issues[0]?.message).toBe(message)
  })
})
