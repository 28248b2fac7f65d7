import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import type { OwnProjection } from '@wangian/kit/log/rebuild.ts'
import { insertMessages, type NewMessage, setRead } from './conversations/sending-store.ts'
import { projectDeal } from './deals/projection.ts'
import { deleteBlock, insertBlock } from './people-store.ts'
import { insertReport, setDecision } from './reports/report-store.ts'

type MessageSent = Extract<MessagingEvent, { type: 'MessageSent' }> & {
  readonly metadata: Pick<EventMetadata, 'commandId'>
}

/** What the tables have of a message, but for its text. */
export function newMessage({ data, metadata: { commandId } }: MessageSent): Omit<NewMessage, 'content'> {
  return { sent: data, commandId }
}

/** Writes one event of the log into the tables that conversations are read from. */
export async function projectMessaging(
  transaction: Transaction,
  event: MessagingEvent & { readonly metadata: Pick<EventMetadata, 'commandId' | 'actorId'> },
): Promise<void> {
  switch (event.type) {
    case 'MessageSent':
      return insertMessages(transaction, [{ ...newMessage(event), content: null }])
    case 'MessagesRead':
      return setRead(transaction, event.data)
    case 'UserBlocked':
      return insertBlock(transaction, event.data.userId, event.data.blockedId)
    case 'UserUnblocked':
      return deleteBlock(transaction, event.data.userId, event.data.blockedId)
    case 'ReportFiled':
      return insertReport(transaction, event.data)
    case 'ReportDecided':
      return setDecision(transaction, event.data, event.metadata.actorId)
    default:
      return projectDeal(transaction, event)
  }
}

/** What conversations, deals and reports are read from, and who is blocked. Texts are in no log. */
export const conversationsProjection: OwnProjection<'messaging'> = {
  name: 'conversations',
  tables: [{ name: 'messages' }, { name: 'conversations' }, { name: 'blocks' }, { name: 'deals' }, { name: 'reports' }],
  replay: () => ({ project: projectMessaging }),
}
