import { accountRoutes } from '@wangian/contracts/account.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { findAccount, listPublicPeople } from './store.ts'

/** People as everybody may see them. Who is suspended or gone is not to be found. */
export function addSellerRoutes(app: App, { pool }: { pool: DatabasePool }): void {
  handle(app, accountRoutes.getSeller, async ({ params: { sellerId } }) => {
    const [account, people] = await Promise.all([findAccount(pool, sellerId), listPublicPeople(pool, [sellerId])])
    const person = people.get(sellerId)
    if (account === null || person === undefined || account.isBanned) throw new Rejection('seller-not-found')
    const { isSeller, emailConfirmedAt, createdAt } = account
    return {
      status: 200,
      body: { ...person, id: sellerId, isSeller, isVerified: emailConfirmedAt !== null, createdAt },
    }
  })
}
