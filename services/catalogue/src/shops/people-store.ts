import type { PublicPerson } from '@wangian/contracts/identity.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'

/** What is known of people from identity. `version` is that of an event in the person's own stream. */

interface Told {
  readonly userId: number
  readonly version: number
}

/** The person as they are now. What is sent with an event is always the newest that there is, so the last one counts. */
export async function savePerson(
  transaction: Transaction,
  { userId, version }: Told,
  person: PublicPerson,
): Promise<void> {
  const { username, profileImage, shopName, location, bio, coverPhoto } = person
  await transaction.query(sql.unsafe`
    insert into sellers as known (user_id, username, profile_image, shop_name, location, bio, cover_photo, version)
    values (${userId}, ${username}, ${profileImage}, ${shopName}, ${location}, ${bio}, ${coverPhoto}, ${version})
    on conflict (user_id) do update
       set username = excluded.username, profile_image = excluded.profile_image, shop_name = excluded.shop_name,
           location = excluded.location, bio = excluded.bio, cover_photo = excluded.cover_photo,
           version = greatest(known.version, excluded.version)`)
}

/** What is left of somebody who has deleted their account: that there was somebody. */
export async function clearPerson(transaction: Transaction, { userId, version }: Told): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into sellers as known (user_id, username, version) values (${userId}, null, ${version})
    on conflict (user_id) do update
       set username = null, profile_image = null, avatar_url = null, shop_name = null, location = null, bio = null,
           cover_photo = null, version = greatest(known.version, excluded.version)`)
}

/** What never changes; the row is there already. */
export async function saveRegistration(
  transaction: Transaction,
  {
    userId,
    isSeller,
    registeredAt,
  }: { readonly userId: number; readonly isSeller: boolean; readonly registeredAt: string },
): Promise<void> {
  await transaction.query(sql.unsafe`
    update sellers set is_seller = ${isSeller}, registered_at = ${registeredAt} where user_id = ${userId}`)
}

/** Of somebody whose row is there. */
export async function saveEmailVerified(transaction: Transaction, { userId, version }: Told): Promise<void> {
  await transaction.query(sql.unsafe`
    update sellers set is_email_verified = true, version = greatest(version, ${version}) where user_id = ${userId}`)
}

/** Until identity's event is here, the name in the token will do. */
export async function rememberSeller(executor: Executor, userId: number, username: string): Promise<void> {
  await executor.query(sql.unsafe`
    insert into sellers (user_id, username) values (${userId}, ${username}) on conflict (user_id) do nothing`)
}

export async function saveBan(executor: Executor, ban: Told & { readonly isBanned: boolean }): Promise<void> {
  await executor.query(sql.unsafe`
    insert into hidden_sellers as known (user_id, is_banned, ban_version)
    values (${ban.userId}, ${ban.isBanned}, ${ban.version})
    on conflict (user_id) do update set is_banned = excluded.is_banned, ban_version = excluded.ban_version
     where known.ban_version < excluded.ban_version`)
}

export async function saveClosed(executor: Executor, closing: Told & { readonly isClosed: boolean }): Promise<void> {
  await executor.query(sql.unsafe`
    insert into hidden_sellers as known (user_id, is_closed, closed_version)
    values (${closing.userId}, ${closing.isClosed}, ${closing.version})
    on conflict (user_id) do update set is_closed = excluded.is_closed, closed_version = excluded.closed_version
     where known.closed_version < excluded.closed_version`)
}
