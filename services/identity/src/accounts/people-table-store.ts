import { ADMIN_FOUND_COUNTED_MAX, AdminUser, AdminUserDetails } from '@wangian/contracts/admin.ts'
import type { FindPeople, PeoplePlace } from '@wangian/contracts/identity-requests.ts'
import { CountRow, type Executor, type Fragment, sql } from '@wangian/kit/database/postgres.ts'
import {
  FREQUENT_MIN,
  frequencyOf,
  hasWord,
  hasWordInText,
  sampleOf,
  searchWords,
} from '@wangian/kit/database/search-words.ts'
import type { Totals } from '@wangian/kit/totals.ts'
import { z } from 'zod'

/** Those who are not erased. */
const everybody = sql.fragment`users u join people p on p.user_id = u.id`

/** As the index `users_by_status` has it. */
const status = sql.fragment`
  case when u.closed_at is not null then 'closed' when u.is_banned then 'banned' when not u.is_verified then 'unconfirmed'
       else 'active' end`

const hasSecondFactor = sql.fragment`
  exists (select from factors f where f.user_id = u.id and f.kind = 'totp' and f.verified_at is not null)`

const userColumns = sql.fragment`
  u.id, p.username, coalesce(p.claimed_email, p.email) as email, p.first_name as "firstName", p.last_name as "lastName", u.is_seller as "isSeller", u.is_admin as "isAdmin",
  u.is_banned as "isBanned", u.is_verified as "isVerified", ${hasSecondFactor} as "hasSecondFactor", ${status} as status, p.created_at as "createdAt"`

const roles = {
  admin: sql.fragment`u.is_admin`,
  seller: sql.fragment`u.is_seller and not u.is_admin`,
  customer: sql.fragment`not u.is_seller and not u.is_admin`,
} as const

/** What a table is sorted by; those with the same go by their ids, in the same direction. */
const sortKeys = {
  newest: null,
  username: sql.fragment`lower(p.username)`,
  email: sql.fragment`p.email`,
  name: sql.fragment`p.name_key`,
} as const

const FoundRow = AdminUser.extend({ sortKey: z.string().nullable() })

export interface FoundPeople {
  readonly people: AdminUser[]
  /** Of a search at most one more than {@link ADMIN_FOUND_COUNTED_MAX}: then there are more than that. */
  readonly total: number
  /** Where the next page begins; `null` when there is none. */
  readonly next: PeoplePlace | null
}

/** One page of those who have an account. A rare word is looked for before the sorting, a frequent one on the way along the order. */
export async function findPeople(executor: Executor, totals: Totals, wanted: FindPeople): Promise<FoundPeople> {
  const { limit, status: wantedStatus, role } = wanted
  const words = searchWords(wanted.search)
  const narrowed = sql.fragment`u.erased_at is null
    and ${wantedStatus === null ? sql.fragment`true` : sql.fragment`${status} = ${wantedStatus}`}
    and ${role === null ? sql.fragment`true` : roles[role]}`
  let found = narrowed
  let total: number
  if (words.length === 0) {
    total = await totals.get([wantedStatus, role], () =>
      executor.oneFirst(sql.type(CountRow)`select count(*) as count from users u where ${narrowed}`),
    )
  } else {
    const lookedUp = await lookUp(executor, wanted, [narrowed, ...(await conditionsOf(executor, words))])
    total = lookedUp.total
    found =
      total <= ADMIN_FOUND_COUNTED_MAX
        ? sql.fragment`u.id = any (${sql.array([...lookedUp.ids], 'int8')})`
        : // As one value: of several words Postgres expects next to nobody, and reads and sorts everybody for them.
          sql.fragment`${narrowed} and coalesce(${allOf(words.map((word) => hasWordInText('p', word)))}, false)`
  }
  const rows = await listPeople(executor, wanted, found)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    people: rows.slice(0, limit).map(({ sortKey: _, ...person }) => person),
    total,
    next: last === undefined ? null : { key: last.sortKey, id: last.id },
  }
}

const allOf = (conditions: readonly Fragment[]) => sql.fragment`${sql.join(conditions, sql.fragment` and `)}`

const FrequenciesRow = z.object({ frequencies: z.array(z.number()) })

/** That people have the words: by its index the rarest of them, unless it is frequent. */
async function conditionsOf(executor: Executor, words: readonly string[]): Promise<readonly Fragment[]> {
  const frequencies = await executor.oneFirst(sql.type(FrequenciesRow)`
    with ${sampleOf('people')}
    select jsonb_build_array(${sql.join(words.map(frequencyOf), sql.fragment`, `)}) as frequencies`)
  const [rarest, ...others] = words
    .map((word, index) => ({ word, frequency: frequencies[index] ?? 0 }))
    .toSorted((one, other) => one.frequency - other.frequency || other.word.length - one.word.length)
  if (rarest === undefined) return []
  const hasRarest = rarest.frequency <= FREQUENT_MIN ? hasWord : hasWordInText
  return [hasRarest('p', rarest.word), ...others.map(({ word }) => hasWordInText('p', word))]
}

/** How many match, and of the page, or the first ones that come when they are too many to sort, the ids. */
const LookedUpRow = z.object({ total: z.number(), ids: z.array(z.number()) })

/** Of all that match only what they are sorted by is read. */
function lookUp(
  executor: Executor,
  wanted: FindPeople,
  matching: readonly Fragment[],
): Promise<z.infer<typeof LookedUpRow>> {
  const { onPage, sorted } = pageOf(wanted, sql.fragment`p.user_id`)
  return executor.one(sql.type(LookedUpRow)`
    with found as materialized (
      select p.user_id, p.username, p.email, p.name_key from ${everybody} where ${allOf(matching)} limit ${ADMIN_FOUND_COUNTED_MAX + 1})
    select (select count(*) from found) as total,
           to_jsonb(array(select p.user_id from found p where ${onPage} order by ${sorted} limit ${wanted.limit + 1})) as ids`)
}

/** @param id by which people stand who have the same key, and all of them when there is none */
function pageOf({ sort, after }: FindPeople, id: Fragment) {
  const [by = 'newest', direction] = sort.split('-') as [keyof typeof sortKeys, string | undefined]
  const key = sortKeys[by]
  const isUp = direction === 'asc'
  const order = isUp ? sql.fragment`asc` : sql.fragment`desc`
  const beyond = isUp ? sql.fragment`>` : sql.fragment`<`
  const place = key === null ? id : sql.fragment`(${key}, p.user_id)`
  const begin = key === null ? sql.fragment`${after?.id ?? 0}` : sql.fragment`(${after?.key ?? ''}, ${after?.id ?? 0})`
  return {
    key: key ?? sql.fragment`null`,
    onPage: after === null ? sql.fragment`true` : sql.fragment`${place} ${beyond} ${begin}`,
    sorted: key === null ? sql.fragment`${id} ${order}` : sql.fragment`${key} ${order}, p.user_id ${order}`,
  }
}

/** One more than `limit` when there are more. */
function listPeople(
  executor: Executor,
  wanted: FindPeople,
  found: Fragment,
): Promise<readonly z.infer<typeof FoundRow>[]> {
  const { key, onPage, sorted } = pageOf(wanted, sql.fragment`u.id`)
  return executor.any(sql.type(FoundRow)`
    select ${userColumns}, ${key} as "sortKey"
      from ${everybody}
     where ${found} and ${onPage}
     order by ${sorted}
     limit ${wanted.limit + 1}`)
}

/** All that is known of somebody who is not erased. */
export function findPersonDetails(executor: Executor, userId: number): Promise<AdminUserDetails | null> {
  return executor.maybeOne(sql.type(AdminUserDetails)`
    select ${userColumns}, p.address, p.shop_name as "shopName", p.location, p.bio, p.profile_image as "profileImage",
           p.last_sign_in_at as "lastSignInAt", u.closed_at as "closedAt", r.reason as "banReason"
      from ${everybody} left join moderation_reasons r on r.user_id = u.id and r.at = u.banned_at
     where u.id = ${userId}`)
}

const ReasonRow = z.object({ userId: z.number(), at: z.string(), reason: z.string() })

/** The reasons that administrators have given at these moments; those that are not known are missing. */
export function listModerationReasons(
  executor: Executor,
  moments: readonly { readonly userId: number; readonly at: string }[],
): Promise<readonly z.infer<typeof ReasonRow>[]> {
  return executor.any(sql.type(ReasonRow)`
    select r.user_id as "userId", r.at, r.reason
      from moderation_reasons r
      join jsonb_to_recordset(${JSON.stringify(moments)}::jsonb) as asked ("userId" bigint, at timestamptz)
        on asked."userId" = r.user_id and asked.at = r.at`)
}
