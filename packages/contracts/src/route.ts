import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/** Who may call a route: the kit refuses everybody else before the handler runs. */
export type Access = 'public' | 'optional' | 'signed-in' | 'seller' | 'admin'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A body that is no JSON but a form (`multipart/form-data`) with one file. */
export interface Upload {
  /** The name of the file's field. */
  readonly field: string
  readonly bytesMax: number
  /** What a person is told whose file is larger. */
  readonly tooLarge: string
}

/** One HTTP route as data: services derive handlers and OpenAPI from it, the web app its client, tests their requests. */
export interface Route<
  Params extends z.ZodType | undefined = z.ZodType | undefined,
  Query extends z.ZodType | undefined = z.ZodType | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Answers extends Readonly<Record<number, z.ZodType>> = Readonly<Record<number, z.ZodType>>,
  Allowed extends Access = Access,
> {
  readonly method: HttpMethod
  /** With `:name` parameters, e.g. `/api/auctions/:auctionId`. */
  readonly path: string
  /** `optional` reads a token when there is one (an owner sees more), `public` ignores it. */
  readonly access: Allowed
  readonly summary: string
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly upload: Upload | undefined
  /** The successful answers by status. */
  readonly answers: Answers
  /** The refusals that this route itself may give, beyond those that every route may give. */
  readonly refusals: readonly ErrorCode[]
}

/** Declares a route; parts that are left out are `undefined`. */
export function route<
  Answers extends Readonly<Record<number, z.ZodType>>,
  Allowed extends Access,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(declaration: {
  method: HttpMethod
  path: string
  access: Allowed
  summary: string
  params?: Params
  query?: Query
  body?: Body
  upload?: Upload | undefined
  answers: Answers
  refusals?: readonly ErrorCode[]
}): Route<Params, Query, Body, Answers, Allowed> {
  return {
    method: declaration.method,
    path: declaration.path,
    access: declaration.access,
    summary: declaration.summary,
    params: declaration.params as Params,
    query: declaration.query as Query,
    body: declaration.body as Body,
    upload: declaration.upload,
    answers: declaration.answers,
    refusals: declaration.refusals ?? [],
  }
}

/** The value a request part has after parsing (`undefined` where the route declares none). */
export type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined
/** The value a caller gives for a request part. */
export type Given<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined
