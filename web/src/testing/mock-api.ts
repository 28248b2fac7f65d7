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
 * A server in place of `fetch` and `XMLHttpRequest`, answering by contract route. What no answer is set for is an error of the test.
 * @returns the requests as they come, and the way to set answers; `restore` it after each test
 */
export function mockApi() {
  const received: (Received & { readonly route: string })[] = []
  const answers = new Map<string, Answer>()
  const serve = async (input: unknown, init: RequestInit | undefined) => {
    const url = new URL(String(input), 'http://localhost')
    const method = init?.method ?? 'GET'
    const key = [...answers.keys()].find((each) => matches(each, method, url.pathname))
    if (!key) throw new TypeError(`No answer for ${method} ${url.pathname}`)
    const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? null
    const request = { url, body: bodyOf(init?.body), token }
    received.push({ ...request, route: key })
    return await (answers.get(key) as Answer)(request)
  }
  const mock = vi.spyOn(globalThis, 'fetch').mockImplementation(serve)
  const { XMLHttpRequest: realRequest } = globalThis
  globalThis.XMLHttpRequest = requestsTo(serve) as unknown as typeof realRequest
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
    restore() {
      mock.mockRestore()
      globalThis.XMLHttpRequest = realRequest
    },
  }
}

/** The other way to send something, which tells how far it is: half-way before the answer, and all of it then. */
function requestsTo(serve: (url: string, init: RequestInit) => Promise<Response>) {
  return class {
    readonly upload: { onprogress?: (event: { lengthComputable: true; loaded: number; total: number }) => void } = {}
    readonly #headers = new Headers()
    #method = 'GET'
    #url = ''
    status = 0
    statusText = ''
    responseText = ''
    onload?: () => void
    onerror?: () => void
    onabort?: () => void
    onloadend?: () => void

    open(method: string, url: string) {
      this.#method = method
      this.#url = url
    }

    setRequestHeader(name: string, value: string) {
      this.#headers.set(name, value)
    }

    getAllResponseHeaders() {
      return ''
    }

    abort() {
      this.onabort?.()
    }

    async send(body: FormData) {
      try {
        for (const loaded of [1, 2]) this.upload.onprogress?.({ lengthComputable: true, loaded, total: 2 })
        const response = await serve(this.#url, { method: this.#method, headers: this.#headers, body })
        this.status = response.status
        this.statusText = response.statusText
        this.responseText = await response.text()
        this.onload?.()
      } catch {
        this.onerror?.()
      }
      this.onloadend?.()
    }
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
