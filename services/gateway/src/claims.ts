import type { IncomingHttpHeaders } from 'node:http'
import type { AppRequest } from '@wangian/kit/http/http.ts'

/** Whether a header is one by which only our own processes speak of a caller. */
export function isClaim(name: string): boolean {
  return name.startsWith('x-user-') || name.startsWith('x-forwarded-') || name === 'forwarded'
}

/** What the gateway knows of a request, in place of what its sender claims. */
export function knownOf({ id, ip, protocol, host }: Pick<AppRequest, 'id' | 'ip' | 'protocol' | 'host'>) {
  return { 'x-request-id': id, 'x-forwarded-for': ip, 'x-forwarded-proto': protocol, 'x-forwarded-host': host }
}

/** Headers without claims. */
export function withoutClaims(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isClaim(name)))
}
