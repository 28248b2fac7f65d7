import { sql } from '@wangian/kit/database/postgres.ts'
import { currentVersion, type TestIdentity } from './test-identity.ts'

/** Calls of the auth provider as its current client makes them. @param identity the one of the test file, which is there later */
export function providerCalls(identity: () => TestIdentity) {
  return {
    /** POSTs JSON below the provider's address. */
    post: (path: string, payload: unknown, headers: Record<string, string> = {}) =>
      identity().app.inject({
        method: 'POST',
        url: `/auth/v1${path}`,
        headers: { ...currentVersion, 'content-type': 'application/json;charset=UTF-8', ...headers },
        payload: JSON.stringify(payload),
      }),
    getUser(authorization?: string) {
      const headers = { ...currentVersion, ...(authorization !== undefined && { authorization }) }
      return identity().app.inject({ method: 'GET', url: '/auth/v1/user', headers })
    },
  }
}

/** As if it had been so long since all tries that limits have counted. */
export async function ageTries({ database }: TestIdentity, minutes: number): Promise<void> {
  await database.pool.query(sql.unsafe`
    update shared_limits
       set spent_until = spent_until - ${minutes} * interval '1 min',
           attempts = array(select at - ${minutes} * interval '1 min' from unnest(attempts) as t (at) order by at)`)
}

/** Bans somebody without ending their sessions, so that each refusal is seen by itself. */
export async function markBanned({ database }: TestIdentity, username: string): Promise<void> {
  await database.pool.query(sql.unsafe`
    update users set is_banned = true where id = (select user_id from people where username = ${username})`)
}
