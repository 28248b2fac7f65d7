import type { Given, Route } from '@wangian/contracts/route.ts'
import type { z } from 'zod'
import { hearAnswerDate } from '../lib/server-clock.ts'
import { ApiError } from './api-error.ts'
import { appToken } from './app-token.ts'

const timeoutMs = 20_000
/** A picture of 5 MB over a slow phone. */
const uploadTimeoutMs = 120_000

type UrlValue = string | number | undefined
/** A list is repeated, once for each of its values. */
type QueryValue = UrlValue | readonly (string | number)[]
type UrlValues<Schema> = Schema extends z.ZodType ? { readonly [Name in keyof z.input<Schema>]?: UrlValue } : undefined
type QueryValues<Schema> = Schema extends z.ZodType
  ? { readonly [Name in keyof z.input<Schema>]?: QueryValue }
  : undefined

/** What of a call's input is in its address. */
interface AddressParts {
  readonly params?: Readonly<Record<string, UrlValue>> | undefined
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
}

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { readonly [Key in Name]?: undefined }
  : { readonly [Key in Name]: Value }

/** What a call of a route needs: its parameters and its body, where it declares them. A query may be left out. */
export type InputOf<R extends Route> = Part<'params', UrlValues<R['params']>> &
  Part<'body', Given<R['body']>> & { readonly query?: QueryValues<R['query']> | undefined }

export type AnswerOf<R extends Route> = z.output<R['answers'][keyof R['answers']]>

/** One page of a list, as the paging headers describe it. */
export interface PageOf<Answer> {
  readonly answer: Answer
  /** `null` when the server does not count. */
  readonly total: number | null
  /** The `cursor` of the next page, `null` on the last one. */
  readonly nextCursor: string | null
}

/** What the session does about refusals that end it, or may. */
interface RefusalHandlers {
  /** Asks the provider's session for a new application token; `null` when nobody is signed in any more. */
  readonly ofToken: () => Promise<string | null>
  /** The account is suspended. */
  readonly ofPerson: () => void
}
let handlers: RefusalHandlers = { ofToken: async () => null, ofPerson: () => {} }

/** Wired once, by the session. */
export function onRefusal(session: RefusalHandlers): void {
  handlers = session
}

interface CallOptions {
  /** Is sent to its end even when the page is left meanwhile. */
  readonly outlivesPage?: boolean
  /** In place of the application token, `null` for none; a refusal of it renews nothing. */
  readonly bearer?: string | null
  /** Of a form: which part of it, 0 to 1, is on its way. */
  readonly onProgress?: (part: number) => void
  /** Of a form: breaks it off. */
  readonly signal?: AbortSignal
}

/** Calls a route. @throws {ApiError} for every answer that is not OK, and for none */
export async function call<R extends Route>(
  route: R,
  input: InputOf<R>,
  options: CallOptions = {},
): Promise<AnswerOf<R>> {
  return (await exchange(route, input, input.body, options)).answer
}

/** Calls a route that takes a form with a file in place of JSON. @throws {ApiError} as `call` does */
export async function upload<R extends Route>(
  route: R,
  input: InputOf<R>,
  form: FormData,
  options: Pick<CallOptions, 'onProgress' | 'signal'> = {},
): Promise<AnswerOf<R>> {
  return (await exchange(route, input, form, options)).answer
}

/** Calls a route whose answer is a file. @throws {ApiError} as `call` does */
export async function callFile<R extends Route>(route: R, input: InputOf<R>): Promise<Blob> {
  return await (await request(route, input, undefined, {})).blob().catch(noAnswer)
}

/** Calls a route that lists, and reads its paging headers too. */
export async function callPage<R extends Route>(route: R, input: InputOf<R>): Promise<PageOf<AnswerOf<R>>> {
  return await exchange(route, input, input.body)
}

async function exchange<R extends Route>(
  route: R,
  input: InputOf<R>,
  body: unknown,
  options: CallOptions = {},
): Promise<PageOf<AnswerOf<R>>> {
  const response = await request(route, input, body, options)
  const text = await response.text().catch(noAnswer)
  const schema = route.answers[response.status]
  if (!schema) throw new ApiError(response.status, `${route.method} ${route.path} does not declare this status`)
  const { headers } = response
  return pageOf(schema.parse(text ? JSON.parse(text) : undefined) as AnswerOf<R>, {
    total: headers.get('x-total-count'),
    link: headers.get('link'),
  })
}

/** A page of a list from its answer and the headers that page it. */
export function pageOf<Answer>(
  answer: Answer,
  { total, link }: { readonly total: string | null; readonly link: string | null },
): PageOf<Answer> {
  return { answer, total: countOf(total), nextCursor: cursorOf(link) }
}

/** An answer that is OK, whose body is not read yet. */
async function request<R extends Route>(
  route: R,
  input: InputOf<R>,
  body: unknown,
  options: CallOptions,
): Promise<Response> {
  const url = urlOf(route, input as AddressParts)
  // What everybody reads alike is asked without, so that a browser can take what it has asked while the page came (`prerender.tsx`).
  const isForEverybody = route.access === 'public' && route.method === 'GET'
  const isOurs = options.bearer === undefined && !isForEverybody
  let token = isOurs ? appToken.read() : (options.bearer ?? null)
  // Who comes back later asks once in place of twice.
  const hasEnded = isOurs && token !== null && appToken.lifeLeftMs(token) <= 0
  const callerId = appToken.readHolder()?.id
  if (hasEnded) token = await renewedFor(callerId)
  let response = await send(route, url, body, token, options)
  if (response.status === 401 && token && isOurs && !hasEnded) {
    token = await renewedFor(callerId)
    if (token) response = await send(route, url, body, token, options)
  }
  if (response.ok) return response
  const text = await response.text().catch(() => '')
  const error = new ApiError(response.status, text || response.statusText)
  if (error.code === 'account-suspended') handlers.ofPerson()
  throw error
}

/** `null` also when somebody else has signed in since: what one person asked for is not asked for again in the name of another. */
async function renewedFor(callerId: number | undefined): Promise<string | null> {
  const token = await handlers.ofToken()
  return appToken.readHolder()?.id === callerId ? token : null
}

/** The address of a call; also the key under which its answer is kept. */
export function urlOf(route: Route, { params, query }: AddressParts): string {
  const values: Readonly<Record<string, UrlValue>> = { ...params }
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query })) {
    for (const each of [value].flat()) if (each !== undefined && each !== '') search.append(name, String(each))
  }
  return search.size > 0 ? `${path}?${search}` : path
}

async function send(
  route: Route,
  url: string,
  body: unknown,
  token: string | null,
  { outlivesPage = false, onProgress, signal }: CallOptions,
): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' })
  const isForm = body instanceof FormData
  if (body !== undefined && !isForm) headers.set('content-type', 'application/json')
  if (token) headers.set('authorization', `Bearer ${token}`)
  try {
    if (isForm && onProgress) {
      // Who only looks never needs it.
      const { sendForm } = await import('./send-form.ts')
      return await sendForm(url, { method: route.method, headers, body }, onProgress, signal)
    }
    const askedAtMs = Date.now()
    const response = await fetch(url, {
      method: route.method,
      headers,
      keepalive: outlivesPage,
      body: body === undefined ? null : isForm ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(isForm ? uploadTimeoutMs : timeoutMs),
    })
    hearAnswerDate(response.headers.get('date'), askedAtMs)
    return response
  } catch (cause) {
    return noAnswer(cause)
  }
}

/** The connection was lost, or slow for too long: before the answer came, or in the middle of it. */
function noAnswer(cause: unknown): never {
  throw new ApiError(0, 'No answer', { cause })
}

function countOf(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null
}

/** From `</api/products?limit=24&cursor=abc>; rel="next"`. */
function cursorOf(header: string | null): string | null {
  const next = header?.split(',').find((link) => /;\s*rel="?next"?/.test(link))
  const address = next && /<([^>]*)>/.exec(next)?.[1]
  return address ? new URL(address, 'http://localhost').searchParams.get('cursor') : null
}
