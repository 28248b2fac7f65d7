import { type ErrorCode, errorCatalogue } from '@wangian/contracts/errors.ts'
import type { Route } from '@wangian/contracts/route.ts'
import { vi } from 'vitest'
import type { AnswerOf } from '../api/client.ts'

/** One request as it reached the server. */
export interface Received {
  readonly url: URL
  readonly body: unknown
  readonly token: string | null
}

type MaybeLater<Value> = Value | Promise<Value>
type Answer = (request: Received) => Promise<Response>

/**
 * A server in place of `fetch`, answering by contract route. What no answer is set for is an error of the test.
 * @returns the requests as they come, and the way to set answers; `restore` it after each test
 */
export function mockApi() {
  const received: (Received & { readonly route: string })[] = []
  const answers = new Map<string, Answer>()
  const mock = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = new URL(String(input), 'http://localhost')
    const method = init?.method ?? 'GET'
    const key = [...answers.keys()].find((each) => matches(each, method, url.pathname))
    if (!key) throw new TypeError(`No answer for ${method} ${url.pathname}`)
    const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? null
    const request = { url, body: bodyOf(init?.body), token }
    received.push({ ...request, route: key })
    return await (answers.get(key) as Answer)(request)
  })
  return {
    received,
    countOf: (route: Route) => received.filter((request) => request.route === keyOf(route)).length,
    /** Answers with what the contract says a success looks like. */
    answer<R extends Route>(
      route: R,
      answer: (request: Received) => MaybeLater<AnswerOf<R> | Response>,
      headers?: HeadersInit,
    ) {
      const status = Number(Object.keys(route.answers)[0])
      answers.set(keyOf(route), async (request) => {
        const body = await answer(request)
        return body instanceof Response ? body : Response.json(body, headers ? { status, headers } : { status })
      })
    },
    restore: () => mock.mockRestore(),
  }
}

/** What was sent: a form as it is, everything else as the JSON that it is. */
function bodyOf(body: BodyInit | null | undefined): unknown {
  return body instanceof FormData ? body : body ? JSON.parse(String(body)) : undefined
}

/** A refusal as services give it. */
export function refusal(code: ErrorCode, message: string = errorCatalogue[code].message): Response {
  return Response.json({ code, message, requestId: 'request-1' }, { status: errorCatalogue[code].status })
}

function keyOf(route: Route): string {
  return `${route.method} ${route.path}`
}

function matches(key: string, method: string, path: string): boolean {
  const [ownMethod, pattern = ''] = key.split(' ')
  return ownMethod === method && new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path)
}
