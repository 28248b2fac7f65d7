import { z } from 'zod'
import { type Executor, sql } from '../database/postgres.ts'

/** A mail that a sender has taken. */
export type TakenMail = z.infer<typeof TakenMail>
const TakenMail = z.object({
  id: z.uuid(),
  kind: z.string(),
  recipient: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  queued_at: z.string(),
  tries: z.number(),
})

export async function insertMail(
  executor: Executor,
  mail: {
    readonly id: string
    readonly kind: string
    readonly personId: number | null
    readonly recipient: string
    readonly subject: string
    readonly text: string
    readonly html: string
  },
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into mails (id, kind, person_id, recipient, subject, text, html)
    values (${mail.id}, ${mail.kind}, ${mail.personId}, ${mail.recipient}, ${mail.subject}, ${mail.text}, ${mail.html})`)
}

/**
 * Takes due mails for `leaseMs`: nobody else gets them before that has passed. The clock of the statement is one value, so that what waits for its next
 * try is not looked at.
 */
export async function takeMails(executor: Executor, limit: number, leaseMs: number): Promise<readonly TakenMail[]> {
  return executor.any(sql.type(TakenMail)`
    update mails set due_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
     where id in (
       select id from mails
        where parked_at is null and due_at <= statement_timestamp()
        order by due_at
        limit ${limit}
          for update skip locked)
    returning id, kind, recipient, subject, text, html, queued_at, tries`)
}

export async function deleteMail(executor: Executor, id: string): Promise<void> {
  await executor.query(sql.unsafe`delete from mails where id = ${id}`)
}

/** Gives a mail back to be tried again in `delayMs`. `isTry` says whether this counts as a try of this mail. */
export async function putOffMail(
  executor: Executor,
  mail: { readonly id: string; readonly error: string | null; readonly isTry: boolean; readonly delayMs: number },
): Promise<void> {
  await executor.query(sql.unsafe`
    update mails
       set due_at = clock_timestamp() + make_interval(secs => ${mail.delayMs / 1000}),
           tries = tries + ${mail.isTry ? 1 : 0}, error = coalesce(${mail.error}, error)
     where id = ${mail.id}`)
}

/** Puts a mail aside for a person to look at. */
export async function parkMail(
  executor: Executor,
  mail: { readonly id: string; readonly error: string },
): Promise<void> {
  await executor.query(sql.unsafe`
    update mails set parked_at = clock_timestamp(), tries = tries + 1, error = ${mail.error} where id = ${mail.id}`)
}

const QueueRow = z.object({ waiting: z.number(), parked: z.number() })

/** @returns how many mails wait and how many are parked */
export async function countMails(executor: Executor): Promise<{ readonly waiting: number; readonly parked: number }> {
  return executor.one(sql.type(QueueRow)`
    select count(*) filter (where parked_at is null) as waiting, count(parked_at) as parked from mails`)
}

/** Removes parked mails that are older than `days`: they hold an address. */
export async function purgeParkedMails(executor: Executor, days: number): Promise<number> {
  const { rowCount } = await executor.query(sql.unsafe`
    delete from mails where parked_at < now() - make_interval(days => ${days})`)
  return rowCount
}

/** Removes what waits for a person, or is parked, whatever address it goes to, and what goes to their address. */
export async function deleteMailsOf(
  executor: Executor,
  person: { readonly personId: number; readonly address: string | null },
): Promise<void> {
  await executor.query(sql.unsafe`
    delete from mails where person_id = ${person.personId} or lower(recipient) = lower(${person.address})`)
}
