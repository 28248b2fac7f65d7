import type { ActionType, Message } from '@wangian/contracts/messaging.ts'

/** How a card stands for whoever looks at it: it can be acted on, it waits for the other one, or it is history. */
export type CardState = 'open' | 'waiting' | 'done' | 'cancelled'

/** The receiver of a card is who acts on it. */
export function cardState({ isClicked, receiverId, transaction }: Message, ownId: number): CardState {
  if (isClicked) return 'done'
  if (transaction?.status === 'CANCELLED') return 'cancelled'
  return receiverId === ownId ? 'open' : 'waiting'
}

/** The steps that a press takes; the last one is a form. */
export type PressedStep = Exclude<ActionType, 'REVIEW'>
