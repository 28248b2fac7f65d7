import type { PublicPerson } from '@wangian/contracts/identity.ts'
import { z } from 'zod'
import { type Executor, sql } from '../database/postgres.ts'
import { lastOfEach } from '../last-of-each.ts'

/**
 * What a service knows of people from identity, in its table `known_people`. Each function takes what several events say, in their order; what
 * is older than what is known changes nothing.
 */

interface Said {
  readonly userId: number
  /** Of the event in the person's own stream. */
  readonly version: number
}

/** Somebody with their name; `null` for those who have gone. */
export const NamedRow = z.object({ id: z.number(), username: z.string().nullable() })

/** A {@link NamedRow} of an id that stands there. Somebody of whom identity has not told yet has a name made of the id. */
export const named = (table: string, column: string) => {
  const id = sql.identifier([table, column])
  return sql.fragment`
    coalesce((select jsonb_build_object('id', k.user_id, 'username', k.username) from known_people k where k.user_id = ${id}),
             jsonb_build_object('id', ${id}, 'username', 'User ' || ${id}))`
}

/** The newest of what is said of each. */
const newest = <Of extends Said>(said: readonly Of[]) => lastOfEach(said, ({ userId }) => userId)

/** Whoever is told of without a name, because something else was said of them first. */
const stillUnnamed = sql.fragment`'User ' || said."userId"`

/** People as everybody sees them now; `null` is somebody who has deleted their account. */
export async function saveProfiles(
  executor: Executor,
  profiles: readonly (Said & { readonly person: PublicPerson | null })[],
): Promise<void> {
  const said = newest(profiles).map(({ userId, version, person }) => ({ userId, version, ...person }))
  await executor.query(sql.unsafe`
    insert into known_people as known
           (user_id, username, shop_name, location, bio, profile_image, cover_photo, profile_version)
    select said."userId", username, "shopName", said.location, said.bio, "profileImage", "coverPhoto", said.version
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("userId" bigint, version integer, username text, "shopName" text, location text, bio text,
                      "profileImage" text, "coverPhoto" text)
     order by said."userId"
    on conflict (user_id) do update
       set username = excluded.username, shop_name = excluded.shop_name, location = excluded.location,
           bio = excluded.bio, profile_image = excluded.profile_image, cover_photo = excluded.cover_photo,
           profile_version = excluded.profile_version
     where known.profile_version <= excluded.profile_version`)
}

/** What never changes; the rows are there already. */
export async function saveRegistrations(
  executor: Executor,
  registrations: readonly {
    readonly userId: number
    readonly isSeller: boolean
    /** ISO 8601. */
    readonly registeredAt: string
  }[],
): Promise<void> {
  const said = registrations.map(({ userId, isSeller, registeredAt }) => ({ userId, isSeller, registeredAt }))
  await executor.query(sql.unsafe`
    update known_people known
       set is_seller = said."isSeller", registered_at = said."registeredAt"
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("userId" bigint, "isSeller" boolean, "registeredAt" timestamptz)
     where known.user_id = said."userId"`)
}

export async function saveVerifiedEmails(executor: Executor, userIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    insert into known_people as known (user_id, username, is_email_verified)
    select said."userId", ${stillUnnamed}, true
      from (select distinct unnest(${sql.array([...userIds], 'int8')}) as "userId") said
     order by 1
    on conflict (user_id) do update set is_email_verified = true`)
}

/** @param bans `bannedAt` is `null` where a ban was lifted */
export async function saveBans(
  executor: Executor,
  bans: readonly (Said & { readonly bannedAt: string | null })[],
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into known_people as known (user_id, username, is_banned, banned_at, ban_version)
    select said."userId", ${stillUnnamed}, said."bannedAt" is not null, said."bannedAt", said.version
      from jsonb_to_recordset(${JSON.stringify(newest(bans))}::jsonb)
             as said ("userId" bigint, version integer, "bannedAt" timestamptz)
     order by said."userId"
    on conflict (user_id) do update
       set is_banned = excluded.is_banned, banned_at = excluded.banned_at, ban_version = excluded.ban_version
     where known.ban_version <= excluded.ban_version`)
}

/** That accounts were closed, or opened again (`closedAt` is `null`). The rows are there already. */
export async function saveClosings(
  executor: Executor,
  closings: readonly (Said & { readonly closedAt: string | null })[],
): Promise<void> {
  await executor.query(sql.unsafe`
    update known_people known
       set is_closed = is_erased or said."closedAt" is not null, closed_at = said."closedAt", closing_version = said.version
      from jsonb_to_recordset(${JSON.stringify(newest(closings))}::jsonb)
             as said ("userId" bigint, version integer, "closedAt" timestamptz)
     where known.user_id = said."userId" and known.closing_version <= said.version`)
}

/** Nothing comes after it; since when they have been gone is what their closing said. The rows are there already. */
export async function saveErasures(executor: Executor, userIds: readonly number[]): Promise<void> {
  const erased = sql.array([...userIds], 'int8')
  await executor.query(sql.unsafe`
    update known_people set is_closed = true, is_erased = true where user_id = any (${erased})`)
  await executor.query(sql.unsafe`
    insert into erased_people (user_id) select distinct unnest(${erased}) order by 1
    on conflict (user_id) do update set noted = default`)
}

/** Until identity has told of somebody, the name in their token will do. */
export async function rememberPerson(executor: Executor, userId: number, username: string): Promise<void> {
  await executor.query(sql.unsafe`
    insert into known_people (user_id, username) values (${userId}, ${username}) on conflict (user_id) do nothing`)
}
