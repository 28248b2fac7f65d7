import { ADMIN_FOUND_COUNTED_MAX } from '@wangian/contracts/admin.ts'
import { Instant } from '@wangian/contracts/time.ts'
import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { hasWord, searchWords } from '@wangian/kit/database/search-words.ts'
import { z } from 'zod'

/** Pages of the tables. Every one is a table with an `id`, and a column `search` with what it is found by. */

/** So many rows are walked in the order of the page for those that fit; fewer than a page among them makes them rare. */
const WALKED_MAX = 1_000
/** Of some people, {@link WALKED_MAX}: words that more of them have are not looked up. */
const FREQUENT_MIN = 50
/** Of more people who have a word the ids are not fetched. */
const PEOPLE_FOUND_MAX = 3_000

export type Fragment = ReturnType<typeof sql.fragment>

/** A column by which rows can be ordered. The id decides between equals. */
export interface Order {
  readonly column: string
  readonly isDescending: boolean
  /** Of its values as the rows have them. */
  readonly Key: z.ZodType<string | number>
  readonly type: 'int8' | 'timestamptz' | 'text'
}

export const byNumber = (column: string, direction: 'asc' | 'desc'): Order => ({
  ...{ column, isDescending: direction === 'desc', Key: z.int(), type: 'int8' },
})
export const byTime = (column: string, direction: 'asc' | 'desc'): Order => ({
  ...{ column, isDescending: direction === 'desc', Key: Instant, type: 'timestamptz' },
})
export const byText = (column: string, direction: 'asc' | 'desc'): Order => ({
  ...{ column, isDescending: direction === 'desc', Key: z.string(), type: 'text' },
})

/** Where a page begins: behind this row. */
export interface Place {
  readonly key: string | number
  readonly id: number
}

/** What somebody looks for in a table. */
export interface Asked {
  readonly table: 'orders' | 'listings' | 'payments'
  /** The columns with the people of a row, who are searched for, too. */
  readonly people: readonly string[]
  /** On the columns of `t`. */
  readonly conditions: readonly Fragment[]
  /** Of a search, as `findWords` has them; none for all rows. */
  readonly words: readonly Word[]
}

export interface PageAsked extends Asked {
  readonly order: Order
  readonly limit: number
  readonly after: Place | null
}

/** In one value, as a row for each takes longer to read than to find. */
const IdsRow = z.object({ ids: z.array(z.number()) })
const PlaceRow = z.object({ id: z.number(), key: z.union([z.string(), z.number()]) })

export interface FoundPage {
  /** The places of its rows, in their order. */
  readonly places: readonly z.infer<typeof PlaceRow>[]
  /** How many rows there are; `null` for a search that finds more than {@link ADMIN_FOUND_COUNTED_MAX}. */
  readonly total: number | null
}

/**
 * A page of a table. Frequent words are found soon in the order of the page, rare ones by their index. Which they are, Postgres guesses
 * badly: the first rows of the order are looked through, and only what they do not fill is looked up.
 * @param remembered counts, or says what was counted a moment ago
 */
export async function findPage(
  executor: Executor,
  asked: PageAsked,
  remembered: (count: () => Promise<number | null>) => Promise<number | null>,
): Promise<FoundPage> {
  const { order, words, limit } = asked
  const table = sql.fragment`${sql.identifier([asked.table])} t`
  const condition = conditionOf(asked.conditions)
  if (words.length === 0) {
    const [places, total] = await Promise.all([
      listPlaces(executor, asked, table),
      remembered(() => countRows(executor, sql.fragment`${table} where ${condition}`)),
    ])
    return { places, total }
  }
  const inOrder = sql.fragment`
    select * from ${table} where ${condition} and ${behind(order, asked.after)} order by ${orderBy(order)}`
  const walk = (end: Fragment) =>
    listPlaces(executor, asked, sql.fragment`(${inOrder} ${end}) t`, hasWords(asked, words))
  const walked = await walk(sql.fragment`limit ${WALKED_MAX}`)
  // Made whole, so that Postgres looks all of it up: to a limit it would sooner read the table.
  const found = sql.fragment`
    (with found as materialized (
       select t.id from ${table} where ${condition} and ${isCandidate(asked)} and ${hasWords(asked, words.slice(1))})
     select id from found limit ${ADMIN_FOUND_COUNTED_MAX + 1}) found`
  if (walked.length >= limit) {
    return { places: walked, total: await remembered(() => countFrequent(executor, asked, found)) }
  }
  let ids: readonly number[] = []
  const total = await remembered(async () => {
    ids = await executor.oneFirst(sql.type(IdsRow)`select to_jsonb(array(select id from ${found})) as ids`)
    return ids.length > ADMIN_FOUND_COUNTED_MAX ? null : ids.length
  })
  // So many, counted now or a moment ago, are found sooner by walking on than by looking up all of them to sort them; the offset keeps
  // Postgres from that.
  if (total !== ids.length) return { places: await walk(sql.fragment`offset 0`), total }
  const isFound = sql.fragment`t.id = any (${sql.array([...ids], 'int8')})`
  return { places: await listPlaces(executor, asked, table, isFound), total }
}

function listPlaces(
  executor: Executor,
  { order, conditions, after, limit }: PageAsked,
  rows: Fragment,
  isFound = sql.fragment`true`,
): Promise<FoundPage['places']> {
  return executor.any(sql.type(PlaceRow)`
    select t.id, ${sql.identifier(['t', order.column])} as key from ${rows}
     where ${conditionOf([...conditions, behind(order, after), isFound])} order by ${orderBy(order)} limit ${limit}`)
}

const CountRow = z.object({ count: z.number() })

const countRows = (executor: Executor, rows: Fragment) =>
  executor.oneFirst(sql.type(CountRow)`select count(*) as count from ${rows}`)

/** Of a search whose words many rows have. `null` as in {@link FoundPage}. */
async function countFrequent(executor: Executor, asked: Asked, found: Fragment): Promise<number | null> {
  const countTo = async (rows: Fragment) => {
    const count = await countRows(executor, rows)
    return count > ADMIN_FOUND_COUNTED_MAX ? null : count
  }
  // Any rows will do: where one in twenty has the words, there are enough of them among the first ones that come.
  const some = sql.fragment`
    (select * from ${sql.identifier([asked.table])} t where ${conditionOf(asked.conditions)} limit ${ADMIN_FOUND_COUNTED_MAX * 20}) t`
  const ofSome = sql.fragment`(select from ${some} where ${hasWords(asked, asked.words)} limit ${ADMIN_FOUND_COUNTED_MAX + 1}) t`
  return (await countTo(ofSome)) === null ? null : countTo(found)
}

/** A word of a search, and whose name has it; `null` when so many have it that each row is asked for its people instead. */
interface Word {
  readonly text: string
  readonly userIds: readonly number[] | null
}

const FrequencyRow = z.object({ frequency: z.number(), userIds: IdsRow.shape.ids.nullable() })

/** In no username. */
const marks = /[!-,/:-@[-^`{-~]/

/** The words of a search; by the first one the rows are found when they are rare. */
export async function findWords(executor: Executor, search: string): Promise<readonly Word[]> {
  const words = await Promise.all(
    searchWords(search).map(async (text): Promise<Word & { readonly frequency: number }> => {
      if (marks.test(text)) return { text, userIds: [], frequency: 0 }
      // An index is no help for what very many have.
      const { frequency, userIds } = await executor.one(sql.type(FrequencyRow)`
        select frequency,
               case when frequency <= ${FREQUENT_MIN} then to_jsonb(array(
                 select k.user_id from known_people k where ${hasWord('k', text)} limit ${PEOPLE_FOUND_MAX + 1})) end as "userIds"
          from (select count(*) as frequency from (select search from known_people limit ${WALKED_MAX}) k where ${hasWord('k', text)}) looked`)
      return userIds === null || userIds.length > PEOPLE_FOUND_MAX
        ? { text, userIds: null, frequency }
        : { text, userIds, frequency: -text.length }
    }),
  )
  return words.toSorted((one, other) => one.frequency - other.frequency)
}

const conditionOf = (conditions: readonly Fragment[]) =>
  sql.fragment`${sql.join([sql.fragment`true`, ...conditions], sql.fragment` and `)}`

const columnsOf = ({ people }: Asked, alias: string) => people.map((column) => sql.identifier([alias, column]))
const idsOf = (userIds: readonly number[]) => sql.array([...userIds], 'int8')
const oneOf = (conditions: readonly Fragment[]) => sql.fragment`(${sql.join(conditions, sql.fragment` or `)})`

/**
 * Whether a row, or one of its people, has each of the words. An array keeps Postgres from reading all people for the few that are asked for. They are
 * asked one after the other: a word that is looked up for each row is one that many have, so the first often has it.
 */
function hasWords(asked: Asked, words: readonly Word[]): Fragment {
  const columns = columnsOf(asked, 't')
  return conditionOf(
    words.map(({ text, userIds }) => {
      const ofPeople =
        userIds === null
          ? columns.map(
              (column) =>
                sql.fragment`exists (select from known_people k where k.user_id = any (array[${column}]) and ${hasWord('k', text)})`,
            )
          : columns.map((column) => sql.fragment`${column} = any (${idsOf(userIds)})`)
      return oneOf([hasWord('t', text), ...ofPeople])
    }),
  )
}

/** Whether a row has the first word, by indexes. */
function isCandidate(asked: Asked): Fragment {
  const [{ text, userIds } = { text: '', userIds: [] }] = asked.words
  if (userIds !== null) {
    // Of ids that it sees, Postgres expects as many rows as of any sellers, and reads the table; most people have none.
    const ofPeople = columnsOf(asked, 't').map(
      (column) => sql.fragment`${column} = any (array(select unnest(${idsOf(userIds)})))`,
    )
    return oneOf([hasWord('t', text), ...ofPeople])
  }
  const from = sql.identifier([asked.table])
  const ofPeople = columnsOf(asked, 'c').map(
    (column) =>
      sql.fragment`select c.id from known_people k join ${from} c on ${column} = k.user_id where ${hasWord('k', text)}`,
  )
  const own = sql.fragment`select c.id from ${from} c where ${hasWord('c', text)}`
  return sql.fragment`t.id = any (array(${sql.join([own, ...ofPeople], sql.fragment` union `)}))`
}

function behind(order: Order, after: Place | null): Fragment {
  if (after === null) return sql.fragment`true`
  const column = sql.identifier(['t', order.column])
  const sign = order.isDescending ? sql.fragment`<` : sql.fragment`>`
  const key =
    order.type === 'int8'
      ? sql.fragment`${after.key}::int8`
      : order.type === 'timestamptz'
        ? sql.fragment`${after.key}::timestamptz`
        : sql.fragment`${after.key}::text`
  return sql.fragment`(${column}, t.id) ${sign} (${key}, ${after.id}::int8)`
}

function orderBy({ column, isDescending }: Order): Fragment {
  const direction = isDescending ? sql.fragment`desc` : sql.fragment`asc`
  return sql.fragment`${sql.identifier(['t', column])} ${direction}, t.id ${direction}`
}
