import { useCallback } from 'react'
import { useUser } from '../session/use-session.ts'
import { type ConversationHandOff, handOverConversation } from './conversation-hand-off.ts'

/** Hands a conversation over for whoever is signed in; a guest has none. */
export function useHandOver(): (conversation: ConversationHandOff) => void {
  const ownId = useUser()?.id
  return useCallback(
    (conversation) => {
      if (ownId !== undefined) handOverConversation(ownId, conversation)
    },
    [ownId],
  )
}
