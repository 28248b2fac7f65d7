import { ADMIN_FOUND_COUNTED_MAX } from '@wangian/contracts/admin.ts'
import { Instant } from '@wangian/contracts/time.ts'
import { type Executor, type Fragment, sql, textPreparer } from '@wangian/kit/database/postgres.ts'
import { FREQUENT_MIN, hasWord, sampleOf, searchWords } from '@wangian/kit/database/search-words.ts'
import type { Totals } from '@wangian/kit/totals.ts'
import { z } from 'zod'

/** Pages of the tables. Every one is a table with an `id`, and a column `search` with what it is found by. */

/** So many rows are walked in the order of the page for those that fit; fewer than a page among them makes them rare. */
const WALKED_MAX = 500
/** Of more people who have a word the ids are not fetched. */
const PEOPLE_FOUND_MAX = 3_000
/** Some more than are counted: to walk on for a page costs more than to look these up. */
const LOOKED_UP_MAX = 1.5 * ADMIN_FOUND_COUNTED_MAX

/** To plan one of these took as long as a tenth of what it finds. */
const prepared = textPreparer('table')

/** A column by which rows can be ordered. The id decides between equals. */
export interface Order {
  readonly column: string
  readonly isDescending: boolean
  /** Of its values as the rows have them. */
  readonly Key: z.ZodType<string | number>
  readonly type: 'int8' | 'timestamptz' | 'text'
}

const ordersOf =
  (type: Order['type'], Key: Order['Key']) =>
  (column: string, direction: 'asc' | 'desc'): Order => ({ column, isDescending: direction === 'desc', Key, type })
export const byNumber = ordersOf('int8', z.int())
export const byTime = ordersOf('timestamptz', Instant)
export const byText = ordersOf('text', z.string())

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
  readonly search: Search
}

export interface PageAsked extends Asked {
  readonly order: Order
  readonly limit: number
  readonly after: Place | null
}

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
 * @param counted totals of a moment ago, and the question of which this one is the answer
 */
export async function findPage(
  executor: Executor,
  asked: PageAsked,
  { totals, question }: { readonly totals: Totals; readonly question: readonly unknown[] },
): Promise<FoundPage> {
  if (asked.search.words.length === 0) {
    const table = sql.fragment`${sql.identifier([asked.table])} t`
    const [places, total] = await Promise.all([
      listPlaces(executor, asked, table),
      totals.get(question, () => countRows(executor, sql.fragment`${table} where ${conditionOf(asked.conditions)}`)),
    ])
    return { places, total }
  }
  let total = totals.known(question)
  if (total === undefined) {
    const { places, hasWalked, count } = await walkOrLookUp(executor, asked)
    if (hasWalked) return { places, total: await totals.get(question, () => countFrequent(executor, asked)) }
    total = toMaximum(count)
    totals.remember(question, total)
    if (count <= LOOKED_UP_MAX) return { places, total }
  }
  // So many are found sooner by walking on than by looking up all of them to sort them; the offset keeps Postgres from that.
  return { places: await listPlaces(executor, asked, inOrder(asked, sql.fragment`offset 0`), hasWords(asked)), total }
}

/** The rows behind the place where the page begins. */
function inOrder({ table, conditions, order, after }: PageAsked, end: Fragment): Fragment {
  return sql.fragment`
    (select * from ${sql.identifier([table])} t where ${conditionOf([...conditions, behind(order, after)])}
      order by ${orderBy(order)} ${end}) t`
}

function listPlaces(
  executor: Executor,
  asked: PageAsked,
  rows: Fragment,
  isFound = sql.fragment`true`,
): Promise<FoundPage['places']> {
  return executor.any(prepared(sql.type(PlaceRow)`with ${idLists(asked.search)} ${placesOf(asked, rows, isFound)}`))
}

function placesOf(
  { order, conditions, after, limit }: PageAsked,
  rows: Fragment,
  isFound = sql.fragment`true`,
): Fragment {
  return sql.fragment`
    select t.id, ${sql.identifier(['t', order.column])} as key from ${rows}
     where ${conditionOf([...conditions, behind(order, after), isFound])} order by ${orderBy(order)} limit ${limit}`
}

/** A row of the page, or none; whether walking found them, and how many were looked up. */
const CountedPlaceRow = z.object({
  hasWalked: z.boolean(),
  count: z.number(),
  id: PlaceRow.shape.id.nullable(),
  key: PlaceRow.shape.key.nullable(),
})

/** In one statement, as each costs more than it takes Postgres to walk. Of more rows than are looked up the places are not those of the page. */
async function walkOrLookUp(
  executor: Executor,
  asked: PageAsked,
): Promise<Pick<FoundPage, 'places'> & { readonly hasWalked: boolean; readonly count: number }> {
  const hasWalked = sql.fragment`(select count(*) >= ${asked.limit} from walked)`
  const direction = directionOf(asked.order)
  const statement = sql.type(CountedPlaceRow)`
    with ${idLists(asked.search)},
         walked as materialized (${placesOf(asked, inOrder(asked, sql.fragment`limit ${WALKED_MAX}`), hasWords(asked))}),
         ${foundIn(asked, LOOKED_UP_MAX, asked.order.column, sql.fragment`not ${hasWalked}`)}
    select ${hasWalked} as "hasWalked", counted.count, page.id, page.key
      from (select count(*) as count from found) counted
      left join (select * from walked where ${hasWalked} union all (${placesOf({ ...asked, conditions: [] }, sql.fragment`found t`)})) page on true
     order by page.key ${direction}, page.id ${direction}`
  const rows = await executor.any(prepared(statement))
  const { hasWalked: isEnough, count } = rows[0] ?? { hasWalked: false, count: 0 }
  const places = rows.flatMap(({ id, key }) => (id === null || key === null ? [] : [{ id, key }]))
  return { places, hasWalked: isEnough, count }
}

/**
 * `found`: the ids of rows that have all the words, with a column to sort them by, up to one more than a maximum. All are made whole first, so that
 * Postgres looks them up: to a limit it would sooner read the table.
 */
function foundIn(asked: Asked, max: number, sortedBy = 'id', isWanted = sql.fragment`true`): Fragment {
  const columns = [...new Set(['id', sortedBy])].map((column) => sql.identifier(['t', column]))
  return sql.fragment`
    looked_up as materialized (
      select ${sql.join(columns, sql.fragment`, `)}
        from ${sql.identifier([asked.table])} t
       where ${conditionOf([isWanted, ...asked.conditions])} and ${isCandidate(asked)} and ${hasWords(asked)}),
    found as materialized (select * from looked_up limit ${max + 1})`
}

const CountRow = z.object({ count: z.number() })

const toMaximum = (count: number) => (count > ADMIN_FOUND_COUNTED_MAX ? null : count)

const countRows = (executor: Executor, rows: Fragment) =>
  executor.oneFirst(prepared(sql.type(CountRow)`select count(*) as count from ${rows}`))

/** Of a search whose words many rows have. `null` as in {@link FoundPage}. */
async function countFrequent(executor: Executor, asked: Asked): Promise<number | null> {
  const countTo = async (rows: Fragment, ...lists: readonly Fragment[]) => {
    const tables = sql.join([idLists(asked.search), ...lists], sql.fragment`, `)
    const statement = sql.type(CountRow)`with ${tables} select count(*) as count from ${rows}`
    return toMaximum(await executor.oneFirst(prepared(statement)))
  }
  // Any rows will do: where one in twenty has the words, there are enough of them among the first ones that come.
  const some = sql.fragment`
    (select * from ${sql.identifier([asked.table])} t where ${conditionOf(asked.conditions)} limit ${ADMIN_FOUND_COUNTED_MAX * 20}) t`
  const ofSome = sql.fragment`(select from ${some} where ${hasWords(asked)} limit ${ADMIN_FOUND_COUNTED_MAX + 1}) t`
  return (await countTo(ofSome)) === null ? null : countTo(sql.fragment`found`, foundIn(asked, ADMIN_FOUND_COUNTED_MAX))
}

/** A word of a search, and whose name has it; `null` when so many have it that each row is asked for its people instead. */
interface Word {
  readonly text: string
  /** For `like`. */
  readonly pattern: string
  readonly userIds: readonly number[] | null
}

/** What is looked for in rows and in the names of their people. */
export interface Search {
  /** By the first one the rows are found when they are rare; none for all rows. */
  readonly words: readonly Word[]
  /** Whose name has all the words, when few have one of them. */
  readonly ofAll: readonly number[]
}

/** The ids are one value, as a row for each takes longer to read than to find. */
const WordRow = z.object({
  text: z.string(),
  pattern: z.string(),
  frequency: z.number(),
  people: z.object({ userIds: z.array(z.number()), ofAll: z.array(z.number()) }).nullable(),
})

/** In no username. */
const marks = /[!-,/:-@[-^`{-~]/

/** What is known of the words of a search before rows are. */
export async function findWords(executor: Executor, search: string): Promise<Search> {
  const texts = searchWords(search)
  if (texts.length === 0) return { words: [], ofAll: [] }
  const isMarked = texts.map((text) => marks.test(text))
  // An index is no help for what very many have.
  const found = await executor.any(sql.prepared('words', WordRow)`
    with ${sampleOf('known_people')},
         words as materialized (
           select place, text, is_marked, search_pattern(text) as pattern
             from unnest(${sql.array(texts, 'text')}, ${sql.array(isMarked, 'bool')}) with ordinality as asked (text, is_marked, place))
    select w.text, w.pattern, frequency,
           case when w.is_marked then jsonb_build_object('userIds', '[]'::jsonb, 'ofAll', '[]'::jsonb)
                when frequency <= ${FREQUENT_MIN} then (
             with people as materialized (
               select k.user_id, k.search from known_people k where k.search like w.pattern limit ${PEOPLE_FOUND_MAX + 1})
             select jsonb_build_object('userIds', coalesce(jsonb_agg(k.user_id), '[]'),
                                       'ofAll', coalesce(jsonb_agg(k.user_id) filter (
                                         where not exists (select from words o where o.is_marked or k.search not like o.pattern)), '[]'))
               from people k) end as people
      from words w, lateral (select count(*) as frequency from sample where search like w.pattern) looked
     order by w.place`)
  const words = found.map(({ text, pattern, frequency, people }) =>
    people === null || people.userIds.length > PEOPLE_FOUND_MAX
      ? { text, pattern, userIds: null, ofAll: null, frequency }
      : { text, pattern, ...people, frequency: -text.length },
  )
  return {
    words: words.toSorted((one, other) => one.frequency - other.frequency),
    ofAll: words.find(({ ofAll }) => ofAll !== null)?.ofAll ?? [],
  }
}

const conditionOf = (conditions: readonly Fragment[]) =>
  sql.fragment`${sql.join([sql.fragment`true`, ...conditions], sql.fragment` and `)}`

const columnsOf = ({ people }: Asked, alias: string) => people.map((column) => sql.identifier([alias, column]))
const oneOf = (conditions: readonly Fragment[]) => sql.fragment`(${sql.join(conditions, sql.fragment` or `)})`

/** The ids of people that are known, as tables of a statement: each goes to Postgres once, and is looked up in by hash. */
function idLists({ words, ofAll }: Search): Fragment {
  const lists = words.flatMap(({ userIds }, index) => (userIds === null ? [] : [{ name: wordList(index), userIds }]))
  return sql.fragment`${sql.join(
    [{ name: ofAllList, userIds: ofAll }, ...lists].map(
      ({ name, userIds }) =>
        sql.fragment`${name} (id) as materialized (select unnest(${sql.array([...userIds], 'int8')}))`,
    ),
    sql.fragment`, `,
  )}`
}

const wordList = (index: number) => sql.identifier([`word_${index}`])
const ofAllList = sql.identifier(['of_all'])

/**
 * Whether a row, or one of its people, has each of the words. As a value, and not with `exists`, Postgres does not read all people for the few that are
 * asked for. They are asked one after the other: a word that is looked up for each row is one that many have, so the first often has it.
 */
function hasWords(asked: Asked): Fragment {
  const columns = columnsOf(asked, 't')
  const isIn = (list: typeof ofAllList) => columns.map((column) => sql.fragment`${column} in (select id from ${list})`)
  const hasEach = asked.search.words.map(({ pattern, userIds }, index) =>
    oneOf([
      sql.fragment`t.search like ${pattern}`,
      ...(userIds !== null
        ? isIn(wordList(index))
        : columns.map(
            (column) => sql.fragment`(select k.search like ${pattern} from known_people k where k.user_id = ${column})`,
          )),
    ]),
  )
  return oneOf([...isIn(ofAllList), sql.fragment`(${conditionOf(hasEach)})`])
}

/** Whether a row has the first word, by indexes. */
function isCandidate(asked: Asked): Fragment {
  const [{ text, userIds } = { text: '', userIds: [] }] = asked.search.words
  if (userIds !== null) {
    // Of ids that it sees, Postgres expects as many rows as of any sellers, and reads the table; most people have none.
    const ofPeople = columnsOf(asked, 't').map(
      (column) => sql.fragment`${column} = any (array(select id from ${wordList(0)}))`,
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

const directionOf = ({ isDescending }: Order) => (isDescending ? sql.fragment`desc` : sql.fragment`asc`)

function orderBy(order: Order): Fragment {
  const direction = directionOf(order)
  const { column } = order
  return sql.fragment`${sql.identifier(['t', column])} ${direction}, t.id ${direction}`
}
