import { Agent } from 'node:http'
import { judge, send } from './judge.ts'
import { type FuzzRequest, forgedPages, oddRequests, pageRequests, providerRequests, requestsOf } from './requests.ts'
import type { FuzzSite } from './site.ts'

/** Requests that are on their way at the same time. */
const AT_ONCE = 8
const ODD_PER_ROUND = 20
const SHOWN_BYTES = 400

/**
 * One round: a request for each route, some for the auth provider, pages, and some for nothing, in an order of their own for each seed.
 * @returns what was wrong, each with the request that it was the answer to, and the number of requests
 */
export async function fuzzRoutes(site: FuzzSite, seed: number): Promise<{ faults: string[]; requests: number }> {
  const requests = [
    ...(await requestsOf(site, seed)),
    ...providerRequests(seed),
    ...pageRequests(seed),
    ...oddRequests(seed, ODD_PER_ROUND),
  ]
  return { faults: await faultsOf(site, requests, `of seed ${seed}`), requests: requests.length }
}

/** As above, for forged cursors. */
export async function fuzzCursors(site: FuzzSite): Promise<{ faults: string[]; requests: number }> {
  const requests = await forgedPages(site)
  return { faults: await faultsOf(site, requests, 'of a forged cursor'), requests: requests.length }
}

async function faultsOf(site: FuzzSite, requests: readonly FuzzRequest[], origin: string): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const faults: string[] = []
  const check = async (request: FuzzRequest) => {
    const fault = await faultOf(site, agent, request)
    if (fault !== null) faults.push(`${fault}\n  ${origin}: ${shown(request)}`)
  }
  const complaintsBefore = site.complaints.length
  try {
    const pending = [...requests]
    const work = async () => {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) await check(next)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    agent.destroy()
  }
  return [...faults, ...site.complaints.slice(complaintsBefore)]
}

async function faultOf(site: FuzzSite, agent: Agent, request: FuzzRequest): Promise<string | null> {
  try {
    const answer = await send(site, agent, request)
    const fault = judge(request, answer)
    if (fault !== null || request.method !== 'GET' || request.route?.method !== 'GET') return fault
    // HEAD obeys GET's rule. What the two are about may have changed in between, but not twice.
    const head = await send(site, agent, { ...request, method: 'HEAD' })
    if (head.status === answer.status) return judge({ ...request, method: 'HEAD' }, head)
    const again = await send(site, agent, request)
    return again.status === head.status ? null : `GET is answered ${again.status} and HEAD ${head.status}`
  } catch (error) {
    return `no answer: ${error instanceof Error ? error.message : error}`
  }
}

function shown({ method, path, headers, body, caller }: FuzzRequest): string {
  const bytes =
    body === null ? '' : `${JSON.stringify(body.subarray(0, SHOWN_BYTES).toString('latin1'))} (${body.length} bytes)`
  return `${caller} ${method} ${path.slice(0, SHOWN_BYTES)} ${JSON.stringify(headers).slice(0, SHOWN_BYTES)} ${bytes}`
}
