import { type Fragment, sql } from './postgres.ts'

/** Words of a search that count. */
const WORDS_MAX = 6
/** Shorter runs are in no trigram that stands alone; one or two letters by themselves are looked for where words begin. */
const hasTrigram = /[\p{L}\p{N}]{3}|^[\p{L}\p{N}]+$/u
const mark = /[\p{P}$+<=>^`|~]/u

/** The words of a search for rows that have all of them. */
export function searchWords(search: string): string[] {
  return search
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX)
}

/** Whether `search_text` leaves a mark of a word. Some signs are marks of which it makes letters or nothing. */
export const hasMark = (word: string) => mark.test(word.normalize('NFKC'))

/**
 * Whether a row has a word in its column `search`, of which the schema has two indexes: of its trigrams, and for words that have none of its marks,
 * if it has any.
 * @param alias of the table
 */
export function hasWord(alias: string, word: string): Fragment {
  const search = sql.identifier([alias, 'search'])
  // As a query of its own it is made once: of a statement that is planned for any word, Postgres makes the pattern anew for each row.
  const isLike = sql.fragment`${search} like (select search_pattern(${word}))`
  return hasTrigram.test(word) || !hasMark(word)
    ? isLike
    : sql.fragment`(${isLike} and ${hasMarks(search)} and ${marksOf(search)} @> ${marksOf(sql.fragment`search_text(${word})`)})`
}

/** The same without an index, which is no help for what many rows have, and not for more than one word. */
export function hasWordInText(alias: string, word: string): Fragment {
  return sql.fragment`(${sql.identifier([alias, 'search'])} || '') like (select search_pattern(${word}))`
}

/** In so many rows words are looked for to tell which are frequent: of a statement that is planned for any word, Postgres does not know it. */
const SAMPLE = 500
/** More rows than these of the sample make a word frequent. */
export const FREQUENT_MIN = 25

/** `sample`: rows of a table, for {@link frequencyOf}. */
export const sampleOf = (table: string): Fragment =>
  sql.fragment`sample as materialized (select search from ${sql.identifier([table])} limit ${SAMPLE})`

/** How many rows of the sample have a word. */
export const frequencyOf = (word: string): Fragment =>
  sql.fragment`(select count(*) from sample where ${hasWordInText('sample', word)})`

/** What is neither letter nor digit; as the index has it. */
function marksOf(text: Fragment | ReturnType<typeof sql.identifier>): Fragment {
  return sql.fragment`string_to_array(regexp_replace(${text}, '[[:alnum:][:space:]]', '', 'g'), null)`
}

/** The rows that an index of marks may leave out have none; as it says so itself. */
function hasMarks(text: ReturnType<typeof sql.identifier>): Fragment {
  return sql.fragment`${text} ~ '[^[:alnum:][:space:]]'`
}
