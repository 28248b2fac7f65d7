import { setImmediate as nextTurn } from 'node:timers/promises'
import { ErrorBody } from '@wangian/contracts/errors.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from './openapi.ts'

const Shelf = z.object({ id: z.int(), size: z.int().default(3) }).meta({ id: 'Shelf' })
const Bottle = z.object({ name: z.string(), shelf: Shelf.nullable() }).meta({ id: 'Bottle' })

const theRoute = route({
  method: 'POST',
  path: '/api/bottles/:bottleId',
  access: 'seller',
  summary: 'Puts a bottle on a shelf',
  params: z.object({ bottleId: IdParam }),
  query: z.object({ force: z.enum(['yes', 'no']).optional(), size: z.coerce.number().int() }),
  body: Bottle,
  answers: { 201: Bottle },
  refusals: ['conflict', 'product-not-found'],
})
const shop = await openApiDocument({ title: 'Shop', routes: { shop: { theRoute } } })
const site = { title: 'Wangian', routes: routesByService }
const whole = await openApiDocument(site)

describe('one route', () => {
  const operation = shop.paths['/api/bottles/{bottleId}']?.['post'] as Record<string, unknown>

  it('is named, grouped and secured', () => {
    expect(operation).toMatchObject({
      operationId: 'theRoute',
      tags: ['shop'],
      summary: 'Puts a bottle on a shelf',
      security: [{ bearer: [] }],
    })
  })

  it('lists its parameters', () => {
    expect(operation['parameters']).toEqual([
      { name: 'bottleId', in: 'path', required: true, schema: { type: 'string', pattern: '^[1-9]\\d{0,15}$' } },
      { name: 'force', in: 'query', required: false, schema: { type: 'string', enum: ['yes', 'no'] } },
      { name: 'size', in: 'query', required: true, schema: expect.objectContaining({ type: 'integer' }) },
    ])
  })

  it('refers to named schemas, apart for what comes in and what goes out', () => {
    expect(operation['requestBody']).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/BottleInput' } } },
    })
    expect(shop.components.schemas).toMatchObject({
      Bottle: { properties: { shelf: { anyOf: [{ $ref: '#/components/schemas/Shelf' }, { type: 'null' }] } } },
      BottleInput: {
        properties: { shelf: { anyOf: [{ $ref: '#/components/schemas/ShelfInput' }, { type: 'null' }] } },
      },
      Shelf: { required: ['id', 'size'] },
      ShelfInput: { required: ['id'] },
    })
  })

  it('shows the form of an upload', async () => {
    const upload = { field: 'image', bytesMax: 5, tooLarge: 'File too large' }
    const method = 'POST'
    const uploading = route({ method, path: '/u', access: 'public', summary: '', upload, answers: { 204: z.void() } })
    const { paths } = await openApiDocument({ title: 'Shop', routes: { shop: { uploading } } })
    expect(paths['/u']?.['post']).toMatchObject({
      requestBody: { content: { 'multipart/form-data': { schema: { required: ['image'] } } } },
    })
  })

  it('lists its own refusals and those of every such route by status', () => {
    const responses = operation['responses'] as Record<string, { description: string }>
    expect(Object.keys(responses)).toEqual(['201', '400', '401', '403', '404', '409', '413', '415', '500', '503'])
    expect(responses['401']?.description).toBe('`invalid-token`, `authentication-required`')
    expect(responses['403']?.description).toContain('`account-suspended`')
    expect(responses['409']).toEqual({
      description: '`conflict`',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    })
    expect(z.globalRegistry.get(ErrorBody)?.id).toBe('Error')
  })
})

describe('the whole product', () => {
  const declared = Object.values(routesByService).flatMap((routes) => Object.keys(routes))

  it('has an operation for every route', () => {
    const described = Object.values(whole.paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId: string }>).map((operation) => operation.operationId),
    )
    expect(described.sort()).toEqual(declared.toSorted())
  })

  it('refers to nothing that is missing', () => {
    const text = JSON.stringify(whole)
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference)
    expect(references.length).toBeGreaterThan(10)
    for (const reference of references) {
      const name = reference.replace('#/components/schemas/', '')
      expect(Object.keys(whole.components.schemas)).toContain(name)
    }
  })

  it('is the same text every time', async () => {
    expect(JSON.stringify(await openApiDocument(site))).toBe(JSON.stringify(whole))
  })

  it('is made an operation at a time, between which others have their turns', async () => {
    let isMade = false
    void openApiDocument(site).then(() => {
      isMade = true
    })
    let turns = 0
    for (; !isMade; turns += 1) await nextTurn()
    expect(turns).toBeGreaterThanOrEqual(declared.length)
  })
})
