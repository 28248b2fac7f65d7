import {
  ADMIN_FOUND_COUNTED_MAX,
  ADMIN_ROWS_DEFAULT,
  type AdminUserDetails,
  adminRoutes,
} from '@wangian/contracts/admin.ts'
import { identityRequests, PeoplePlace } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'

export interface PeopleDependencies {
  /** Where identity is asked: what is personal is nowhere else. */
  readonly nats: NatsConnection
}

const Cursor = z.object({ by: z.string(), place: PeoplePlace })

/** Who has an account, and what administrators do to them. Identity answers, decides, and says no. */
export function addPeopleRoutes(app: App, { nats }: PeopleDependencies): void {
  handle(app, adminRoutes.listUsers, async ({ query, request }) => {
    const { search = '', status = null, role = null, sort = 'newest', limit = ADMIN_ROWS_DEFAULT, cursor } = query
    const after = cursor === undefined ? null : readCursor(Cursor.extend({ by: z.literal(sort) }), cursor).place
    const asked = { search, status, role, sort, limit, after }
    const { people, total, next } = await ask(nats, 'identity', identityRequests.findPeople, asked)
    const nextUrl = next === null ? null : nextPageUrl(request.url, { by: sort, place: next })
    const isCounted = search === '' || total <= ADMIN_FOUND_COUNTED_MAX
    return { status: 200, body: people, headers: pageHeaders({ total: isCounted ? total : null, next: nextUrl }) }
  })

  handle(app, adminRoutes.getUser, async ({ params }) => {
    return { status: 200, body: await getPerson(params.userId) }
  })

  handle(app, adminRoutes.setBanned, async ({ params: { userId }, body, user, request }) => {
    const command = { userId, actorId: user.id, reason: body.reason ?? null, requestId: request.id }
    await ask(nats, 'identity', identityRequests.setBanned, { ...command, isBanned: body.isBanned })
    return { status: 200, body: await getPerson(userId) }
  })

  handle(app, adminRoutes.setAdministrator, async ({ params: { userId }, body, user, request }) => {
    const command = { userId, actorId: user.id, reason: body.reason, requestId: request.id }
    await ask(nats, 'identity', identityRequests.setAdministrator, { ...command, isAdmin: body.isAdmin })
    return { status: 200, body: await getPerson(userId) }
  })

  handle(app, adminRoutes.removeFactors, async ({ params: { userId }, body, user, request }) => {
    const command = { userId, actorId: user.id, reason: body.reason, requestId: request.id }
    await ask(nats, 'identity', identityRequests.removeFactors, command)
    return { status: 200, body: await getPerson(userId) }
  })

  async function getPerson(userId: number): Promise<AdminUserDetails> {
    const { person } = await ask(nats, 'identity', identityRequests.getPerson, { userId })
    if (person === null) throw new Rejection('user-not-found')
    return person
  }
}
