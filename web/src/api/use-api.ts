import type { Route } from '@wangian/contracts/route.ts'
import useSWR, { type SWRConfiguration, type SWRResponse } from 'swr'
import { type AnswerOf, call, type InputOf, urlOf } from './client.ts'
import { useServed } from './served-answers.ts'

/**
 * Reads a route into the shared cache. The key is the address, so whoever asks for the same gets the same; with a `null`
 * input nothing is asked yet. What came with the page is there at once.
 */
export function useApi<R extends Route>(
  route: R,
  input: Omit<InputOf<R>, 'body'> | null,
  options?: SWRConfiguration<AnswerOf<R>>,
): SWRResponse<AnswerOf<R>> {
  const key = input && urlOf(route, input as Parameters<typeof urlOf>[1])
  const served = useServed(route, key)
  return useSWR<AnswerOf<R>>(key, () => call(route, input as InputOf<R>), {
    ...(served && { fallbackData: served.answer }),
    ...options,
  })
}

/** How data is read everywhere: once, without asking again on focus, on an interval or after an error. */
export const apiDefaults: SWRConfiguration = {
  revalidateOnFocus: false,
  revalidateOnReconnect: false,
  shouldRetryOnError: false,
}
