import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EventSource, eventsByService, formerNamesByService } from '@wangian/contracts/events/by-service.ts'
import type { EventDefinition, FormerNames, RawData } from '@wangian/contracts/events/definition.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { currentName, readPublished, readStored, storedNames, toPublished, toStored } from './event-format.ts'

/** One file for every type and version of event that was ever stored; what is here once stays. */
const folder = fileURLToPath(new URL('../../../contracts/src/events/', import.meta.url))
const services = Object.keys(eventsByService) as EventSource[]

interface Sample {
  readonly service: EventSource
  readonly file: string
  readonly type: string
  readonly schemaVersion: number
  readonly data: RawData
}

const samples = services.flatMap((service) =>
  readdirSync(`${folder}samples/${service}`).map((file): Sample => {
    const [, type, version] = /^(\w+)\.v(\d+)\.json$/.exec(file) ?? []
    if (type === undefined) throw new Error(`${service}/${file} is not named like BidPlaced.v1.json`)
    const data = JSON.parse(readFileSync(`${folder}samples/${service}/${file}`, 'utf8'))
    return { service, file: `${service}/${file}`, type, schemaVersion: Number(version), data }
  }),
)

const definitions = services.flatMap((service) =>
  Object.entries<EventDefinition>(eventsByService[service]).map(([type, definition]) => ({
    service,
    type,
    definition,
  })),
)
const definitionOf = ({ service, type }: { service: EventSource; type: string }) =>
  definitions.find((each) => each.service === service && each.type === currentName(service, type))?.definition

describe('an event that was stored once', () => {
  it.each(samples)('is read by the service itself: $file', ({ service, ...stored }) => {
    const definition = definitionOf({ service, ...stored })
    const event = readStored(service, stored)
    expect(event.type).toBe(currentName(service, stored.type))
    expect(storedNames(service, event.type)).toContain(stored.type)
    // What was read can be stored again as it is, so it is in today's shape.
    expect(toStored(service, event)).toEqual({ schemaVersion: definition?.version, data: event.data })
  })

  it.each(samples)('leaves the service in the shape of today, without what is private: $file', (sample) => {
    const { service, type, schemaVersion, data } = sample
    const definition = definitionOf(sample)
    const published = toPublished(service, { type, schemaVersion, data: JSON.stringify(data) })
    if (definition?.isPrivate) return expect(published).toBeNull()
    expect(published).toMatchObject({ type: currentName(service, type), schemaVersion: definition?.version })
    const text = JSON.parse(published?.data ?? '')
    for (const field of definition?.privateFields ?? []) expect(text).not.toHaveProperty(field)
    const received = readPublished(service, {
      type: published?.type ?? '',
      schemaVersion: definition?.version ?? 0,
      data: text,
    })
    // Others in an older version have published it as they had it then.
    expect(readPublished(service, { type, schemaVersion, data })).toEqual(received)
  })

  it('has a sample of every type and version', () => {
    const expected = definitions.flatMap(({ service, type, definition }) =>
      Array.from({ length: definition.version }, (_, index) => `${service}/${type}.v${index + 1}.json`),
    )
    const former = services.flatMap((service) =>
      Object.keys(formerNamesByService[service]).map((type) => `${service}/${type}.v1.json`),
    )
    expect(samples.map(({ file }) => file).toSorted()).toEqual([...expected, ...former].toSorted())
  })
})

describe('the declaration of an event', () => {
  it.each(definitions)('has an upcast for each version before it: $type', ({ definition }) => {
    const before = Array.from({ length: definition.version - 1 }, (_, index) => String(index + 1))
    expect(Object.keys(definition.upcasts)).toEqual(before)
  })

  it.each(definitions)('names what is a part of a subject: $type', ({ type }) => {
    expect(type).toMatch(/^[A-Z]\w+$/)
  })

  it.each(services)('has no name twice, of %s', (service) => {
    const formerNames: FormerNames = formerNamesByService[service]
    for (const [name, { becomes }] of Object.entries(formerNames)) {
      expect(eventsByService[service]).not.toHaveProperty(name)
      expect(eventsByService[service]).toHaveProperty(becomes)
    }
  })

  it.each(definitions)('keeps its shape as long as it keeps its version: $service $type', (declared) => {
    const { service, type, definition } = declared
    const file = `shapes/${service}/${type}.v${definition.version}.json`
    const shape = { data: shapeOf(definition.data), added: shapeOf(definition.added) }
    if (!existsSync(folder + file)) {
      mkdirSync(dirname(folder + file), { recursive: true })
      const [data, added] = [shape.data, shape.added].map((part) => JSON.stringify(part))
      writeFileSync(folder + file, `{\n  "data": ${data},\n  "added": ${added}\n}\n`)
    }
    expect(shape, howToChange(type, definition.version)).toEqual(JSON.parse(readFileSync(folder + file, 'utf8')))
  })
})

function shapeOf(schema: z.ZodObject): object {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input' })
  return shape
}

function howToChange(type: string, version: number): string {
  return (
    `${type} is stored in this shape already, as version ${version}. Give it version ${version + 1}, with an upcast for ` +
    `${version} and a sample ${type}.v${version + 1}.json, and run this test again: it writes down the new shape`
  )
}
