import { type Fragment, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** What all lists of this service have in common: who and what is in them, and their pages. */

export const PersonRow = z.object({
  id: z.number(),
  username: z.string().nullable(),
  profileImage: z.string().nullable(),
})
export const ProductRow = z.object({
  id: z.number(),
  name: z.string(),
  priceSen: z.number(),
  imageUrl: z.string().nullable(),
  isRemoved: z.boolean(),
})

/** Columns of a group of this name. */
const columnsOf = (group: string, columns: Readonly<Record<string, Fragment>>) =>
  sql.join(
    Object.entries(columns).map(([field, value]) => sql.fragment`${value} as ${sql.identifier([`${group}.${field}`])}`),
    sql.fragment`, `,
  )

/**
 * Somebody as others see them: without a name when they have gone, with one made of the id while identity has not told theirs, and nobody when the
 * id is null.
 */
export const personOf = (group: string, alias: string, id: Fragment) => {
  const person = sql.identifier([alias])
  return columnsOf(group, {
    id,
    username: sql.fragment`case when ${person}.user_id is null then 'User ' || ${id} else ${person}.username end`,
    profileImage: sql.fragment`${person}.profile_image`,
  })
}

/** `null` without one, and as long as nothing is known of it. */
export const productOf = (group: string, alias: string) => {
  const product = sql.identifier([alias])
  return columnsOf(group, {
    id: sql.fragment`${product}.id`,
    name: sql.fragment`${product}.name`,
    priceSen: sql.fragment`${product}.price_sen`,
    imageUrl: sql.fragment`coalesce(${product}.picture, ${product}.given_image_url)`,
    isRemoved: sql.fragment`${product}.is_removed`,
  })
}

/** A page of a list, and how long that is. */
export interface Listed<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** Up to here the rows of a list are counted of which nothing else says how many there are. */
export const EXACT_COUNT_MAX = 10_000

/**
 * The rows of a page say how long the list is, for less than it costs to ask for that; where there is none it is asked for. They keep saying it, as a
 * copy of each without costs more than it hides.
 */
export async function listed<Row extends { readonly total: number }>(
  found: Promise<readonly Row[]>,
  count: () => Promise<number>,
): Promise<Listed<Omit<Row, 'total'>>> {
  const rows = await found
  return { rows, total: rows[0]?.total ?? (await count()) }
}

export interface Page {
  readonly limit: number
  /** Only what is older than this message. */
  readonly beforeId: number | null
}

/** A page without a beginning begins at the end: with one condition for both, a statement is prepared once. */
export const before = ({ beforeId }: Pick<Page, 'beforeId'>) => beforeId ?? Number.MAX_SAFE_INTEGER
