import { z } from 'zod'
import { startExclusiveJob } from '../database/exclusive-job.ts'
import type { Locks } from '../database/exclusive-session.ts'
import { type DatabasePool, type Executor, sql } from '../database/postgres.ts'
import type { Logger } from '../service/logger.ts'

/*
 * What people wrote and what was written about them is in some events, and goes when they are erased. An event keeps its place, its id and its shape; only
 * the words are taken out of it, and out of the tables that were filled from it, so that a rebuild finds the tables as they are.
 */

const EVERY_MS = 10_000
const PEOPLE_AT_ONCE_MAX = 1_000
const ROWS_AT_ONCE_MAX = 500

/** Whose words are blanked, and how many rows are looked at at once, beginning after this id. */
export interface Some {
  readonly userId: number
  readonly afterId: number
  readonly limit: number
}

/** The id to go on after, `null` when nothing comes after `afterId`. */
export const PlaceRow = z.object({ id: z.number().nullable() })

/** Blanks some of the words about somebody who is erased, in one statement; what is blank already stays as it is. @returns as {@link PlaceRow} */
export type BlankSome = (executor: Executor, some: Some) => Promise<number | null>

/** Does {@link blankWords} at once and then every 10 s, in one process at a time. */
export function startBlanking(
  { locks, pool, log }: { readonly locks: Locks; readonly pool: DatabasePool; readonly log: Logger },
  blanks: readonly BlankSome[],
): { stop(): Promise<void> } {
  const work = (signal: AbortSignal) => blankWords(pool, blanks, signal)
  return startExclusiveJob({ locks, job: 'erased-words', everyMs: EVERY_MS, log, work })
}

/**
 * Blanks the words about people who are erased, some at a time: beyond what a statement may take it would never be done.
 * @param signal ends it after the statement under way; what is left is done the next time
 */
export async function blankWords(
  pool: DatabasePool,
  blanks: readonly BlankSome[],
  signal?: AbortSignal,
): Promise<void> {
  for (const person of await listErasedPeople(pool, PEOPLE_AT_ONCE_MAX)) {
    const { userId } = person
    for (const blankSome of blanks)
      for (let afterId: number | null = 0; afterId !== null; ) {
        if (signal?.aborted) return
        afterId = await blankSome(pool, { userId, afterId, limit: ROWS_AT_ONCE_MAX })
      }
    await forgetErasedPerson(pool, person)
  }
}

const ErasedPersonRow = z.object({ userId: z.number(), noted: z.number() })
type ErasedPerson = z.infer<typeof ErasedPersonRow>

function listErasedPeople(executor: Executor, limit: number): Promise<readonly ErasedPerson[]> {
  return executor.any(sql.type(ErasedPersonRow)`
    select user_id as "userId", noted from erased_people order by noted limit ${limit}`)
}

async function forgetErasedPerson(executor: Executor, { userId, noted }: ErasedPerson): Promise<void> {
  await executor.query(sql.unsafe`delete from erased_people where user_id = ${userId} and noted = ${noted}`)
}

/**
 * To be called with whoever it is about after something with words was written: those of them who are erased already have them blanked, too. Who is
 * being erased just now is waited for, or waits.
 */
export async function noteWordsAbout(executor: Executor, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return
  await executor.query(sql.unsafe`
    with about as materialized (
      select user_id, is_erased from known_people where user_id = any (${sql.array([...userIds], 'int8')}) order by user_id for share
    )
    insert into erased_people (user_id) select user_id from about where is_erased
    on conflict (user_id) do update set noted = default`)
}
