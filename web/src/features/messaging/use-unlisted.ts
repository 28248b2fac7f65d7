import type { Conversation } from '@wangian/contracts/messaging.ts'
import { useEffect, useSyncExternalStore } from 'react'
import type { ConversationHandOff } from '../../contact/conversation-hand-off.ts'
import { begunConversations, keepBegun } from './begun.ts'
import { keptDraft } from './drafts.ts'
import { keptUnsent, readUnsent, subscribeUnsent } from './unsent.ts'

/** A conversation in which something was written, and nothing is known to be sent. */
export interface UnlistedConversation {
  readonly conversation: ConversationHandOff
  /** The text that is not sent, or what is half written, or the name of a file. */
  readonly unsent: string
}

/** The conversations that are in no list of the server's yet, and in which something waits to be sent. */
export function useUnlisted(
  ownId: number,
  conversations: readonly Conversation[],
  selected: ConversationHandOff | null,
): readonly UnlistedConversation[] {
  useSyncExternalStore(subscribeUnsent, keptUnsent)
  useEffect(() => {
    if (selected) keepBegun(ownId, selected)
  }, [ownId, selected])

  const begun = begunConversations(ownId)
  const isKept = selected === null || begun.some(({ userId }) => userId === selected.userId)
  const isListed = (otherId: number) => conversations.some(({ user }) => user.id === otherId)
  const { texts, files } = readUnsent()
  const unsentTo = (otherId: number) => {
    const isAddressed = (each: { senderId: number; receiverId: number }) =>
      each.senderId === ownId && each.receiverId === otherId
    return (
      texts.findLast(isAddressed)?.content || keptDraft(ownId, otherId) || (files.findLast(isAddressed)?.name ?? '')
    )
  }
  return (isKept ? begun : [selected, ...begun])
    .filter(({ userId }) => !isListed(userId))
    .map((conversation) => ({ conversation, unsent: unsentTo(conversation.userId) }))
    .filter(({ unsent }) => unsent !== '')
}
