import type { Route } from '@wangian/contracts/route.ts'
import { createContext, use } from 'react'
import { type AnswerOf, type PageOf, pageOf } from './client.ts'

/** An answer as it came with the page: its body, and the headers that page a list. */
export interface ServedAnswer {
  readonly body: unknown
  readonly total: string | null
  readonly link: string | null
}

/** The status that every answer with a body has which comes with a page. */
const okStatus = 200

/**
 * What everybody reads alike comes with a page that was rendered elsewhere, so that the page is there before it has asked anything. It is shown
 * first, and read again as if it had come from a cache.
 */
export interface ServedAnswers {
  /** `undefined` for what did not come, or is none of the route's. */
  readonly find: <R extends Route>(route: R, address: string) => PageOf<AnswerOf<R>> | undefined
}

/** @param answers by their addresses, as `urlOf` writes them */
export function servedAnswers(
  answers: Readonly<Record<string, ServedAnswer>> = {},
  onMissing?: (address: string) => void,
): ServedAnswers {
  const found = new Map<string, PageOf<unknown>>()
  return {
    find: <R extends Route>(route: R, address: string) => {
      const answer = answers[address]
      if (answer && !found.has(address)) {
        const parsed = route.answers[okStatus]?.safeParse(answer.body)
        if (parsed?.success) found.set(address, pageOf(parsed.data, answer))
      }
      if (!found.has(address)) onMissing?.(address)
      return found.get(address) as PageOf<AnswerOf<R>> | undefined
    },
  }
}

/** Nothing has come where nobody says otherwise. */
export const ServedContext = createContext(servedAnswers())

/** What came with the page for an address; `null` asks for nothing. */
export function useServed<R extends Route>(route: R, address: string | null): PageOf<AnswerOf<R>> | undefined {
  const served = use(ServedContext)
  return address === null ? undefined : served.find(route, address)
}
