import {
  type EventSource,
  type EventsOf,
  eventsByService,
  formerNamesByService,
} from '@wangian/contracts/events/by-service.ts'
import type {
  EventDefinition,
  EventDefinitions,
  EventOf,
  FormerNames,
  PublishedEventOf,
  RawData,
} from '@wangian/contracts/events/definition.ts'
import { InvariantViolation, invariant } from '../invariant.ts'

/** An event of any version, under the name that it has or had, as a log or a message holds it. */
export interface FormattedEvent<Data = unknown> {
  readonly type: string
  readonly schemaVersion: number
  readonly data: Data
}

/** What a service stores now. */
export type StoredEvent<Source extends EventSource> = EventOf<EventsOf<Source>>

/** What others get of a service's events. */
export type PublishedEvent<Source extends EventSource> = PublishedEventOf<EventsOf<Source>>

/** What a type is called today. */
export function currentName(service: EventSource, storedType: string): string {
  return formerNamesOf(service)[storedType]?.becomes ?? storedType
}

/** What a type is and was called. */
export function storedNames(service: EventSource, type: string): readonly string[] {
  const formerNames = Object.entries(formerNamesOf(service)).filter(([, { becomes }]) => becomes === type)
  return [type, ...formerNames.map(([name]) => name)]
}

/**
 * Checks a new event against the shape in which it is stored.
 * @returns what is to be stored: nothing but what is declared, and its version
 * @throws InvariantViolation for another shape, and for an event that is not declared
 */
export function toStored(service: EventSource, event: { readonly type: string; readonly data: unknown }) {
  const definition = definitionOf(service, event.type)
  invariant(definition !== undefined, `${service} declares no event ${event.type}`)
  const parsed = definition.data.safeParse(event.data)
  if (!parsed.success) throw unreadable(service, event.type, definition.version, parsed.error)
  return { schemaVersion: definition.version, data: parsed.data as unknown }
}

/**
 * Reads what a service's own log holds.
 * @returns it under today's name, in today's shape
 * @throws InvariantViolation when it cannot be read
 */
export function readStored<Source extends EventSource>(service: Source, event: FormattedEvent): StoredEvent<Source> {
  const { type, definition, data } = toCurrent(service, event)
  const parsed = definition.data.safeParse(data)
  if (!parsed.success) throw unreadable(service, event.type, event.schemaVersion, parsed.error)
  return { type, data: parsed.data } as StoredEvent<Source>
}

/**
 * What of an event of a service's own log others may get, under today's name. `data` is the text of JSON; what is added as an event leaves
 * is not in it yet.
 * @returns `null` when nothing of it may leave
 * @throws InvariantViolation when it cannot be read, or a later version has stored it: what of it is private is not known here
 */
export function toPublished(service: EventSource, event: FormattedEvent<string>): FormattedEvent<string> | null {
  const known = definitionOf(service, event.type)
  // Bids come by the ten thousand: nothing is gained by parsing them.
  if (known?.version === event.schemaVersion && !known.isPrivate && known.privateFields.length === 0) return event
  const { type, definition, data } = toCurrent(service, { ...event, data: JSON.parse(event.data) })
  const { version, isPrivate, privateFields } = definition
  if (event.schemaVersion > version) throw unreadable(service, event.type, event.schemaVersion)
  if (isPrivate) return null
  const parsed = definition.data.safeParse(data)
  if (!parsed.success) throw unreadable(service, event.type, event.schemaVersion, parsed.error)
  const open = Object.fromEntries(Object.entries(parsed.data).filter(([field]) => !privateFields.includes(field)))
  return { type, schemaVersion: version, data: JSON.stringify(open) }
}

/**
 * Reads what another service has published. A version that is newer than ours is read for what ours knows.
 * @returns it under today's name, in today's shape
 * @throws InvariantViolation when it cannot be read
 */
export function readPublished<Source extends EventSource>(
  service: Source,
  event: FormattedEvent,
): PublishedEvent<Source> {
  const { type, definition, data } = toCurrent(service, event)
  const parsed = definition.published.safeParse(data)
  if (!parsed.success) throw unreadable(service, event.type, event.schemaVersion, parsed.error)
  return { type, data: parsed.data } as PublishedEvent<Source>
}

/** Brings the data of an event to today's version; one that is newer stays as it is. */
function toCurrent(
  service: EventSource,
  { type: storedType, schemaVersion, data: storedData }: FormattedEvent,
): { readonly type: string; readonly definition: EventDefinition; readonly data: RawData } {
  const type = currentName(service, storedType)
  const definition = definitionOf(service, type)
  if (definition === undefined || !isObject(storedData)) throw unreadable(service, storedType, schemaVersion)
  const formerName = formerNamesOf(service)[storedType]
  let data = formerName === undefined ? storedData : formerName.upcast(storedData)
  for (let version = schemaVersion; version < definition.version; version += 1) {
    const upcast = definition.upcasts[version]
    if (upcast === undefined) throw unreadable(service, storedType, schemaVersion)
    data = upcast(data)
  }
  return { type, definition, data }
}

function definitionOf(service: EventSource, type: string): EventDefinition | undefined {
  const definitions: EventDefinitions = eventsByService[service]
  return Object.hasOwn(definitions, type) ? definitions[type] : undefined
}

function formerNamesOf(service: EventSource): FormerNames {
  return formerNamesByService[service]
}

function isObject(value: unknown): value is RawData {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(service: string, type: string, schemaVersion: number, cause?: unknown): InvariantViolation {
  return new InvariantViolation(`${type} of ${service}, version ${schemaVersion}, is not readable`, { cause })
}
