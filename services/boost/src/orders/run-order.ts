import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { BoostOrderEvent } from '@wangian/contracts/events/boost.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { type CommandRun, type Decision, runCommand, runCommandIn } from '@wangian/kit/log/command.ts'
import { type Order, type OrderCommand, orderDecider, orderStream } from '../domain.ts'
import { insertBillCheck } from '../payment/payment-store.ts'
import { projectOrder } from '../projections.ts'

export type Cause = Pick<EventMetadata, 'actorId' | 'correlationId' | 'causationId'>

/**
 * Runs a command of an order in a transaction of its own.
 * @param before looks at what it rests on besides the order; it writes nothing
 */
export function runOrder(
  pool: DatabasePool,
  orderId: string,
  command: OrderCommand,
  cause: Cause,
  before?: (transaction: Transaction) => Promise<void>,
): Promise<Decision<Order, BoostOrderEvent>> {
  return runCommand({ pool, before, ...runOf(orderId, command, cause) })
}

/** The same in a transaction that has not written yet. */
export function runOrderIn(
  transaction: Transaction,
  orderId: string,
  command: OrderCommand,
  cause: Cause,
): Promise<Decision<Order, BoostOrderEvent>> {
  return runCommandIn(transaction, runOf(orderId, command, cause))
}

function runOf(orderId: string, command: OrderCommand, cause: Cause): CommandRun<Order, OrderCommand, BoostOrderEvent> {
  return {
    decider: orderDecider,
    stream: orderStream(orderId),
    command,
    metadata: { ...cause, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) {
        await projectOrder(transaction, event)
        if (event.type === 'BoostBillMade') await insertBillCheck(transaction, event.data)
      }
    },
  }
}
