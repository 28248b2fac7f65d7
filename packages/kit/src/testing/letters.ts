import { Envelope } from '@wangian/contracts/envelope.ts'
import type { Executor } from '../database/postgres.ts'
import { insertLetter } from '../log/dead-letters.ts'
import { newEventId } from '../log/event-store.ts'

/** Puts an event of this stream aside, as a consumer that could not take it. @returns the event's id */
export async function putAside(
  executor: Executor,
  consumer: string,
  { stream, data = {} }: { readonly stream: string; readonly data?: unknown },
): Promise<string> {
  const at = '2026-11-21T08:00:00.000Z'
  const event = Envelope.parse({ id: newEventId(), type: 'Put', stream, version: 1, at, data, metadata: {} })
  await insertLetter(executor, {
    consumer,
    subject: 'test',
    event,
    position: [1, 1],
    error: 'poison',
    tries: 5,
    dueInMs: null,
  })
  return event.id
}
