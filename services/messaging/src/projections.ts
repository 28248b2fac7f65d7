import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { rebuildProjection } from '@wangian/kit/log/projector.ts'
import { deleteBlock, insertBlock } from './people-store.ts'
import { insertMessage, setRead } from './store.ts'

/** Writes one event of the log into the tables that conversations are read from. */
export async function projectMessaging(
  transaction: Transaction,
  event: MessagingEvent & { readonly metadata: Pick<EventMetadata, 'commandId'> },
): Promise<void> {
  switch (event.type) {
    case 'MessageSent':
      return insertMessage(transaction, event.data, event.metadata.commandId)
    case 'MessagesRead':
      return setRead(transaction, event.data)
    case 'UserBlocked':
      return insertBlock(transaction, event.data.userId, event.data.blockedId)
    case 'UserUnblocked':
      return deleteBlock(transaction, event.data.userId, event.data.blockedId)
    case 'ReviewSubmitted':
    case 'OrderStatusChanged':
      return
    default:
      return event satisfies never
  }
}

/** Empties `messages`, `conversations` and `blocks` and fills them from the log; texts stay. @returns how many events were replayed */
export async function rebuildMessages(pool: DatabasePool): Promise<number> {
  const tables = ['messages', 'conversations', 'blocks']
  return rebuildProjection({ service: 'messaging', pool, tables, project: projectMessaging })
}
