import type { Envelope } from '@wangian/contracts/envelope.ts'
import type { EventHandlers, ReceivedEvent } from '@wangian/kit/log/event-handlers.ts'
import type { Action } from './domain.ts'
import { recordingOf } from './run-record.ts'

/*
 * The record is made from what the owners tell, and not from what administrators ask for: a refusal leaves no entry, nor does a call that changed
 * nothing, and a crash between the two loses none. Who has done it is the one who acted when the event was made.
 */

/** What an event says of an action; `null` when it tells of none. */
type Say<Event extends Envelope> = (event: Event) => Omit<Action, 'sourceId' | 'actorId'> | null

function recorded<Event extends Envelope>(say: Say<Event>) {
  return {
    command(event: Event) {
      const action = actionOf(event, say)
      const { correlationId } = event.metadata
      return action && recordingOf(action, { correlationId, causationId: event.id })
    },
  }
}

function actionOf<Event extends Envelope>(event: Event, say: Say<Event>): Action | null {
  const { actorId } = event.metadata
  const said = actorId === null ? null : say(event)
  return said === null || actorId === null ? null : { sourceId: event.id, actorId, ...said }
}

/** Why is with identity. */
const ofUser = (userId: number) => ({ targetKind: 'user', targetId: String(userId), reason: null }) as const

export const identityRecord: EventHandlers<'identity'> = {
  UserBanned: recorded(({ data }: ReceivedEvent<'identity', 'UserBanned'>) => ({
    ...ofUser(data.userId),
    action: 'ban-user',
    before: { isBanned: false },
    after: { isBanned: true },
    takenAt: data.bannedAt,
  })),
  UserUnbanned: recorded(({ data }: ReceivedEvent<'identity', 'UserUnbanned'>) => ({
    ...ofUser(data.userId),
    action: 'unban-user',
    before: { isBanned: true },
    after: { isBanned: false },
    takenAt: data.unbannedAt,
  })),
  SecondFactorRemoved: recorded(({ data }: ReceivedEvent<'identity', 'SecondFactorRemoved'>) => {
    if (data.by !== 'admin') return null
    return {
      ...ofUser(data.userId),
      action: 'remove-second-factor',
      before: { hasSecondFactor: true },
      after: { hasSecondFactor: false },
      takenAt: data.removedAt,
    }
  }),
  AdministratorAppointed: recorded(({ data }: ReceivedEvent<'identity', 'AdministratorAppointed'>) => ({
    ...ofUser(data.userId),
    action: 'appoint-administrator',
    before: { isAdmin: false },
    after: { isAdmin: true },
    takenAt: data.appointedAt,
  })),
  AdministratorDismissed: recorded(({ data }: ReceivedEvent<'identity', 'AdministratorDismissed'>) => ({
    ...ofUser(data.userId),
    action: 'dismiss-administrator',
    before: { isAdmin: true },
    after: { isAdmin: false },
    takenAt: data.dismissedAt,
  })),
}

export const messagingRecord: EventHandlers<'messaging'> = {
  OrderStatusChanged: recorded(({ data }: ReceivedEvent<'messaging', 'OrderStatusChanged'>) => {
    if (data.admin === undefined) return null
    return {
      action: 'move-order',
      targetKind: 'order',
      targetId: String(data.orderId),
      reason: data.admin.reason,
      before: { status: data.admin.from },
      after: { status: data.status },
      takenAt: data.changedAt,
    }
  }),
  ReportDecided: recorded(({ data }: ReceivedEvent<'messaging', 'ReportDecided'>) => ({
    action: 'decide-report',
    targetKind: 'report',
    targetId: String(data.reportId),
    reason: null,
    before: { status: 'open' },
    after: { status: data.decision },
    takenAt: data.decidedAt,
  })),
}

export const catalogueRecord: EventHandlers<'catalogue'> = {
  ListingRemoved: recorded(({ data }: ReceivedEvent<'catalogue', 'ListingRemoved'>) => {
    if (data.by !== 'admin') return null
    return {
      action: 'remove-listing',
      targetKind: 'listing',
      targetId: String(data.productId),
      reason: data.reason,
      before: { isRemoved: false },
      after: { isRemoved: true },
      takenAt: data.removedAt,
    }
  }),
}

export const boostRecord: EventHandlers<'boost'> = {
  BoostCaseRefunded: recorded(({ data }: ReceivedEvent<'boost', 'BoostCaseRefunded'>) => ({
    action: 'refund-case',
    targetKind: 'case',
    targetId: String(data.caseId),
    reason: null,
    before: { isRefunded: false },
    after: { isRefunded: true, amountSen: data.amountSen },
    takenAt: data.refundedAt,
  })),
  PaymentAlertClosed: recorded(({ data }: ReceivedEvent<'boost', 'PaymentAlertClosed'>) => ({
    action: 'close-payment-alert',
    targetKind: 'payment-alert',
    targetId: String(data.alertId),
    reason: data.reason,
    before: { isOpen: true },
    after: { isOpen: false },
    takenAt: data.closedAt,
  })),
}
