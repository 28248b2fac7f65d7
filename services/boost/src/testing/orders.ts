import { expect } from 'vitest'
import { sandboxKeys } from '../sandbox/sandbox-keys.ts'
import type { Answer, TestBoost } from './test-boost.ts'

export interface Ordered {
  readonly placed: Answer
  readonly productId: number
  readonly billId: string
  /** What the provider tells of its bill when it is paid. */
  readonly fields: Readonly<Record<string, string>>
}

/** Orders a boost for one product. */
export async function orderOne(boost: TestBoost): Promise<Ordered> {
  const [productId = 0] = boost.list(1)
  const placed = await boost.order([productId])
  expect(placed.status).toBe(201)
  const billId = placed.body.paymentUrl.split('/').at(-1) as string
  const fields = {
    ...{ id: billId, collection_id: sandboxKeys.collectionId, paid: 'true', state: 'paid' },
    ...{ amount: '1000', paid_amount: '1000', due_at: '2026-11-23', email: 'a@example.com', mobile: '', name: 'A' },
    ...{ url: placed.body.paymentUrl, paid_at: '2026-11-23 08:15:09 +0800', transaction_id: 'T1' },
  }
  return { placed, productId, billId, fields }
}
