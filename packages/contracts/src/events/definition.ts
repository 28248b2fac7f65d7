import { z } from 'zod'

/** The data of an event as JSON gives it, before anything is known of its shape. */
export type RawData = Readonly<Record<string, unknown>>

/** Makes the data of one version into that of the next. What never leaves may be missing from data that was received. */
export type Upcast = (data: RawData) => RawData

/** How one type of event is stored, and what of it others get. */
export interface EventDefinition<
  Data extends z.ZodObject = z.ZodObject,
  Added extends z.ZodObject = z.ZodObject,
  PrivateField extends string = string,
  IsPrivate extends boolean = boolean,
> {
  /** The version of `data`; the first one is 1. */
  readonly version: number
  /** What is stored now. */
  readonly data: Data
  readonly isPrivate: IsPrivate
  readonly privateFields: readonly PrivateField[]
  readonly added: Added
  /** What others get: `data` without the private fields and with what is added. */
  readonly published: z.ZodType<z.infer<z.ZodObject<Omit<Data['shape'], PrivateField> & Added['shape']>>>
  /** By the version that they are for: one for each version before this one. */
  readonly upcasts: Readonly<Record<number, Upcast>>
}

/** A service's events by their type. */
export type EventDefinitions = Readonly<Record<string, EventDefinition>>

/** What became of types that were renamed, by their former name. A type that was renamed had one version; `upcast` makes version 1 of it. */
export type FormerNames<Definitions extends EventDefinitions = EventDefinitions> = Readonly<
  Record<string, { readonly becomes: keyof Definitions & string; readonly upcast: Upcast }>
>

/** What is stored of a type of event. */
export type StoredData<Definition extends EventDefinition> = z.infer<Definition['data']>

/** What others get of a type of event. */
export type PublishedData<Definition extends EventDefinition> = z.infer<Definition['published']>

/** The types of event that leave their service. */
export type PublishedType<Definitions extends EventDefinitions> = PublishedEventOf<Definitions>['type']

/** The union of a service's events as they are stored, for `decide` and `evolve`. */
export type EventOf<Definitions extends EventDefinitions> = Definitions extends unknown
  ? {
      [Type in keyof Definitions & string]: { readonly type: Type; readonly data: StoredData<Definitions[Type]> }
    }[keyof Definitions & string]
  : never

/** The union of a service's events as others get them. */
export type PublishedEventOf<Definitions extends EventDefinitions> = Definitions extends unknown
  ? {
      [Type in keyof Definitions & string]: Definitions[Type]['isPrivate'] extends true
        ? never
        : { readonly type: Type; readonly data: PublishedData<Definitions[Type]> }
    }[keyof Definitions & string]
  : never

const nothing = z.object({})

/**
 * Declares how one type of event is stored. What was stored once must be readable for ever: the shape shares nothing with forms and routes,
 * whose limits change, and holds plain types; unknown members are passed over. Any other shape is a new `version` with an upcast for the one
 * before it, a sample and a shape (`samples/`, `shapes/`).
 * @param definition.isPrivate the event never leaves its service
 * @param definition.privateFields these never leave
 * @param definition.added what the service adds as the event leaves, because it must not be in a log
 */
export function defineEvent<
  Data extends z.ZodObject,
  Added extends z.ZodObject = typeof nothing,
  const PrivateField extends keyof z.infer<Data> & string = never,
  const IsPrivate extends boolean = false,
>(definition: {
  readonly data: Data
  readonly version?: number
  readonly upcasts?: Readonly<Record<number, Upcast>>
  readonly isPrivate?: IsPrivate
  readonly privateFields?: readonly PrivateField[]
  readonly added?: Added
}): EventDefinition<Data, Added, PrivateField, IsPrivate> {
  const { data, version = 1, upcasts = {}, isPrivate = false, privateFields = [], added = nothing } = definition
  const mask = Object.fromEntries(privateFields.map((field) => [field, true]))
  const published: z.ZodObject = data.omit(mask as Record<never, never>).extend(added.shape)
  const defined: EventDefinition = { version, data, isPrivate, privateFields, added, published, upcasts }
  return defined as EventDefinition<Data, Added, PrivateField, IsPrivate>
}
