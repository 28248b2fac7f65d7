import { z } from 'zod'
import { type DatabasePool, sql } from '../database/postgres.ts'

/** As much as tokens allow between those who sign and those who check. */
const DIFFERENCE_MAX_S = 5

const ClockRow = z.object({ nowMs: z.number() })

/** How far this machine's clock is from that of Postgres; `null` where nothing is wrong for it. @param nowMs epoch ms */
export async function findClockDifference(pool: DatabasePool, nowMs: () => number = Date.now): Promise<string | null> {
  const askedAtMs = nowMs()
  const databaseMs = await pool.oneFirst(sql.type(ClockRow)`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`)
  // It was read between the two.
  const differenceS = Math.round(((askedAtMs + nowMs()) / 2 - databaseMs) / 1000)
  if (Math.abs(differenceS) <= DIFFERENCE_MAX_S) return null
  const where = differenceS < 0 ? 'behind' : 'ahead of'
  return `the clock of this machine is ${Math.abs(differenceS)} s ${where} that of Postgres: tokens may be refused, and what is due comes early or late; set both by a time server`
}
