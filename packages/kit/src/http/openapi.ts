import { setImmediate as nextTurn } from 'node:timers/promises'
import { ErrorBody, type ErrorCode, statusOf } from '@wangian/contracts/errors.ts'
import type { Access, Route, Upload } from '@wangian/contracts/route.ts'
import { z } from 'zod'

type Json = Record<string, unknown>

/** An OpenAPI 3.1 document; plain JSON, the same text for the same routes. */
export interface OpenApiDocument extends Json {
  readonly openapi: '3.1.0'
  /** By path, then by method in lower case. */
  readonly paths: Record<string, Json>
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json }
}

/**
 * Describes contract routes. Schemas with a `meta({id})` become components. All routes of the site take some tenths of a second, in turns: nobody else
 * waits for more than one of them.
 * @param options.routes by group (a service; becomes the tag), then by operation id
 */
export async function openApiDocument(options: {
  readonly title: string
  readonly version?: string
  readonly routes: Readonly<Record<string, Readonly<Record<string, Route>>>>
}): Promise<OpenApiDocument> {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const [group, routes] of Object.entries(options.routes)) {
    for (const [operationId, route] of Object.entries(routes)) {
      await nextTurn()
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      paths[path] = {
        ...paths[path],
        [route.method.toLowerCase()]: operation(group, operationId, route, components),
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: options.title, version: options.version ?? '1' },
    tags: Object.keys(options.routes).map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}

function operation(group: string, operationId: string, route: Route, components: Components): Json {
  const parameters = [
    ...parametersIn('path', route.params, components),
    ...parametersIn('query', route.query, components),
  ]
  return {
    operationId,
    tags: [group],
    summary: route.summary,
    ...securityOf(route.access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: { required: true, content: jsonContent(components.input(route.body)) } } : {}),
    ...(route.upload ? { requestBody: { required: true, content: formContent(route.upload) } } : {}),
    responses: responsesOf(route, components),
  }
}

const NO_CONTENT = '204'

function securityOf(access: Access): Json {
  if (access === 'public') return {}
  return { security: access === 'optional' ? [{}, { bearer: [] }] : [{ bearer: [] }] }
}

function parametersIn(place: 'path' | 'query', schema: z.ZodType | undefined, components: Components): Json[] {
  if (schema === undefined) return []
  const object = components.input(schema) as { properties?: Record<string, Json>; required?: string[] }
  return Object.entries(object.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (object.required?.includes(name) ?? false),
    schema: property,
  }))
}

function responsesOf(route: Route, components: Components): Json {
  const responses: Json = {}
  for (const [status, schema] of Object.entries(route.answers)) {
    const hasBody = status !== NO_CONTENT
    responses[status] = {
      description: 'Success',
      ...(hasBody && { content: jsonContent(components.output(schema)) }),
    }
  }
  const codesByStatus = new Map<number, ErrorCode[]>()
  for (const code of refusalsOf(route)) {
    codesByStatus.set(statusOf(code), [...(codesByStatus.get(statusOf(code)) ?? []), code])
  }
  for (const [status, codes] of codesByStatus) {
    responses[String(status)] = {
      description: codes.map((code) => `\`${code}\``).join(', '),
      content: jsonContent(components.output(ErrorBody)),
    }
  }
  return responses
}

/** Everything that a route may refuse. */
export function refusalsOf(route: Route): ReadonlySet<ErrorCode> {
  return new Set([...commonRefusals(route), ...route.refusals])
}

/** What `handle` itself may refuse. */
function commonRefusals(route: Route): ErrorCode[] {
  const refusals: ErrorCode[] = []
  if (route.params || route.query || route.body) refusals.push('bad-request')
  if (route.access !== 'public') refusals.push('invalid-token', 'account-suspended')
  if (route.access !== 'public' && route.access !== 'optional') refusals.push('authentication-required')
  if (route.access === 'seller') refusals.push('seller-account-required')
  if (route.access === 'admin') refusals.push('admin-access-required', 'second-factor-required')
  if (route.body) refusals.push('too-large', 'unsupported-type')
  return [...refusals, 'internal', 'unavailable']
}

function jsonContent(schema: unknown): Json {
  return { 'application/json': { schema } }
}

/** OpenAPI 3.1 says of a file only that it is one. */
function formContent({ field }: Upload): Json {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  return { 'multipart/form-data': { schema: { type: 'object', properties: { [field]: file }, required: [field] } } }
}

/** Collects the schemas with an id while parts are converted; each is written once and referred to. */
class Components {
  readonly schemas: Record<string, unknown> = {}

  input(schema: z.ZodType): unknown {
    return this.#convert(schema, 'input')
  }

  output(schema: z.ZodType): unknown {
    return this.#convert(schema, 'output')
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): unknown {
    const {
      $schema: _,
      $defs,
      ...converted
    } = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      reused: 'inline',
    }) as Json & { $defs?: Record<string, unknown> }
    const suffix = io === 'input' ? 'Input' : ''
    for (const [id, definition] of Object.entries($defs ?? {})) {
      this.schemas[`${id}${suffix}`] = withComponentRefs(definition, suffix)
    }
    // A schema with an id has become one of the definitions, too, and what is left is a reference to it.
    return withComponentRefs(converted, suffix)
  }
}

function withComponentRefs(value: unknown, suffix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withComponentRefs(item, suffix))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      // The id of a component is its key; inside, JSON Schema would read it as an address.
      .filter(([key]) => key !== 'id' || typeof (value as Json)['id'] !== 'string')
      .map(([key, item]) =>
        key === '$ref' && typeof item === 'string'
          ? [key, `${item.replace('#/$defs/', '#/components/schemas/')}${suffix}`]
          : [key, withComponentRefs(item, suffix)],
      ),
  )
}
