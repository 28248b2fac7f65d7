import type { Logger } from '@wangian/kit/service/logger.ts'

/** What a bill is made for. */
export interface BillRequest {
  readonly orderId: string
  readonly amountSen: number
  /** Who pays, as the provider addresses them. */
  readonly payer: { readonly name: string; readonly email: string }
  readonly description: string
}

/** What the provider says of a bill. */
export interface BillNotice {
  readonly billId: string
  readonly collectionId: string
  readonly isPaid: boolean
  /** Somebody is paying it, and their bank has not decided yet. */
  readonly isUndecided?: boolean
  /** Nobody is asked to pay it any more. */
  readonly isDeleted?: boolean
  /** What was asked for, and what has come. */
  readonly amountSen: number
  readonly paidSen: number
  /** ISO 8601; `null` when it is not said. */
  readonly paidAt: string | null
  readonly transactionId: string | null
  /** Signed, and otherwise than a callback should be; the rest is what could be read of it. */
  readonly isUnreadable?: true
}

export type SignedFields = Readonly<Record<string, string>>
/** The same as they came: one that came several times has all its values. */
export type GivenFields = Readonly<Record<string, string | readonly string[]>>

/** Whoever takes the money. What it cannot be asked just now is a Failure. */
export interface PaymentProvider {
  /** What its bills must belong to. */
  readonly collectionId: string
  createBill(request: BillRequest): Promise<{ readonly billId: string; readonly url: string }>
  /** @throws Rejection('invalid-signature') when it was not the provider that said this */
  readCallback(fields: GivenFields): BillNotice
  /** What the browser says that comes back. @throws Rejection('invalid-signature') */
  readReturn(fields: SignedFields): Pick<BillNotice, 'isPaid' | 'isUndecided'>
  /** `null` for a bill that the provider does not know. */
  findBill(billId: string): Promise<BillNotice | null>
  /** How it was paid, in the provider's word. */
  findChannel(billId: string): Promise<string | null>
  /** Nobody shall pay it any more. One that is paid stays. */
  deleteBill(billId: string): Promise<void>
}

/** Asks the provider for what nothing depends on. */
export async function askIfPossible<Answer>(
  log: Logger,
  provider: PaymentProvider | null,
  ask: (provider: PaymentProvider) => Promise<Answer>,
): Promise<Answer | null> {
  if (provider === null) return null
  return ask(provider).catch((error: unknown) => {
    log.warn({ err: error }, 'the payment provider was asked in vain')
    return null
  })
}
