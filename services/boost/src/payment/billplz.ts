import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { counter } from '@wangian/kit/service/metrics.ts'
import { z } from 'zod'
import type { BillNotice, BillRequest, GivenFields, PaymentProvider } from './provider.ts'
import { isSigned } from './x-signature.ts'

const TIMEOUT_MS = 8_000
const NAME_LENGTH_MAX = 255
const DESCRIPTION_LENGTH_MAX = 200
const BILL_ID_LENGTH_MAX = 64
const TRANSACTION_ID_LENGTH_MAX = 100
const FIELD_NAME_LENGTH_MAX = 100
const FIELD_LENGTH_MAX = 2_000
/** In sen. */
const AMOUNT = /^\d{1,12}$/

export interface BillplzSettings {
  readonly apiKey: string
  readonly collectionId: string
  readonly signatureKey: string
  /** Of the API, e.g. `https://www.billplz.com/api`. */
  readonly url: string
  /** Where the pages of bills may be. */
  readonly billOrigins: readonly string[]
  /** Our own address for the provider and the browser. */
  readonly publicUrl: string
  readonly timeoutMs?: number
}

const Bill = z.object({
  id: z.string().min(1).max(BILL_ID_LENGTH_MAX),
  collection_id: z.string(),
  paid: z.boolean(),
  state: z.string().optional(),
  amount: z.int(),
  paid_amount: z.int(),
  paid_at: z.string().nullish(),
  url: z.url(),
})
const Transactions = z.object({
  transactions: z.array(z.object({ status: z.string(), payment_channel: z.string().nullish() })),
})
const Callback = z.object({
  id: z.string().min(1),
  collection_id: z.string(),
  paid: z.enum(['true', 'false']),
  amount: z.string().regex(AMOUNT),
  paid_amount: z.string().regex(/^\d{0,12}$/),
  paid_at: z.string().optional(),
  transaction_id: z.string().max(TRANSACTION_ID_LENGTH_MAX).optional(),
  transaction_status: z.string().optional(),
})

const questions = counter({
  name: 'wangian_boost_provider_requests_total',
  help: 'What the payment provider was asked: answered, or failed',
  labelNames: ['result'],
  known: [{ result: 'answered' }, { result: 'failed' }],
})

/** Billplz, version 3 of its API. */
export function createBillplz(settings: BillplzSettings): PaymentProvider {
  const { collectionId, signatureKey, publicUrl, billOrigins } = settings
  const ask = createQuestions(settings)

  return {
    collectionId,

    async createBill({ orderId, amountSen, payer, description }: BillRequest) {
      const form = new URLSearchParams({
        collection_id: collectionId,
        email: payer.email,
        name: payer.name.slice(0, NAME_LENGTH_MAX),
        amount: String(amountSen),
        callback_url: `${publicUrl}/api/boost/callback`,
        redirect_url: `${publicUrl}/api/boost/return`,
        description: description.slice(0, DESCRIPTION_LENGTH_MAX),
        reference_1_label: 'Order',
        reference_1: orderId,
      })
      const bill = await ask('POST', 'bills', Bill, form)
      if (bill === null) throw new Failure('the payment provider does not know how to make a bill')
      if (bill.amount !== amountSen || bill.collection_id !== collectionId)
        throw new Failure('the payment provider has made another bill than it was asked for')
      // The browser is sent there, so it must be a page of the provider.
      if (!billOrigins.includes(new URL(bill.url).origin))
        throw new Failure('the payment provider wants to be paid somewhere else')
      return { billId: bill.id, url: bill.url }
    },

    readCallback(fields) {
      const { x_signature: signature, ...signed } = fields
      if (typeof signature !== 'string' || !isSigned(signed, signature, signatureKey))
        throw new Rejection('invalid-signature')
      const parsed = Callback.safeParse(signed)
      if (!parsed.success || !Object.entries(signed).every(isPlain)) return unreadable(signed, signature)
      const { id, paid, amount, paid_amount, paid_at, transaction_id, transaction_status } = parsed.data
      return {
        billId: id,
        collectionId: parsed.data.collection_id,
        isPaid: paid === 'true',
        isUndecided: transaction_status === 'pending',
        amountSen: Number(amount),
        paidSen: Number(paid_amount),
        paidAt: instantOf(paid_at),
        transactionId: transaction_id || null,
      }
    },

    readReturn(fields) {
      const { 'billplz[x_signature]': signature, ...rest } = fields
      const signed = Object.fromEntries(Object.entries(rest).filter(([name]) => name.startsWith('billplz[')))
      if (signature === undefined || !isSigned(signed, signature, signatureKey))
        throw new Rejection('invalid-signature')
      return {
        isPaid: signed['billplz[paid]'] === 'true',
        isUndecided: signed['billplz[transaction_status]'] === 'pending',
      }
    },

    async findBill(billId) {
      const bill = await ask('GET', `bills/${encodeURIComponent(billId)}`, Bill)
      return bill && noticeOf(bill)
    },

    async findChannel(billId) {
      const found = await ask('GET', `bills/${encodeURIComponent(billId)}/transactions?status=completed`, Transactions)
      const completed = found?.transactions.find(({ status }) => status === 'completed')
      return completed?.payment_channel || null
    },

    async deleteBill(billId) {
      await ask('DELETE', `bills/${encodeURIComponent(billId)}`, z.unknown())
    },
  }
}

/**
 * Asks Billplz, and counts how often it has answered and how often not. The function that it returns gives `null` for 404, and for what is not
 * deleted however often it is asked for: a bill that is paid. It throws a Failure when there is no answer, or another one than `schema` says.
 */
function createQuestions({ apiKey, url, timeoutMs = TIMEOUT_MS }: BillplzSettings) {
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
  return ask

  async function ask<Answer>(...question: Parameters<typeof answerTo<Answer>>): Promise<Answer | null> {
    try {
      const answer = await answerTo(...question)
      questions.inc({ result: 'answered' })
      return answer
    } catch (error) {
      questions.inc({ result: 'failed' })
      throw error
    }
  }

  async function answerTo<Answer>(
    method: string,
    path: string,
    schema: z.ZodType<Answer>,
    form?: URLSearchParams,
  ): Promise<Answer | null> {
    const what = `${method} ${path.replace(/bills\/[^/]+/, 'bills/…')}`
    let response: Response
    let text: string
    try {
      response = await fetch(`${url}/v3/${path}`, {
        method,
        headers: { authorization, accept: 'application/json' },
        ...(form !== undefined && { body: form }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      text = await response.text()
    } catch (cause) {
      throw new Failure(`the payment provider does not answer ${what}`, { cause })
    }
    if (response.status === 404 || (method === 'DELETE' && response.status === 422)) return null
    if (!response.ok)
      throw new Failure(`the payment provider answers ${what} with ${response.status}: ${text.slice(0, 300)}`)
    try {
      return schema.parse(JSON.parse(text))
    } catch (cause) {
      throw new Failure(`the payment provider answers ${what} with something else`, { cause })
    }
  }
}

/** Whether a field came once, and is no longer than any that is known. */
function isPlain([name, value]: readonly [string, string | readonly string[]]): boolean {
  return typeof value === 'string' && value.length <= FIELD_LENGTH_MAX && name.length <= FIELD_NAME_LENGTH_MAX
}

/**
 * For a person to look at. When it comes again it says the same, and is signed the same: that tells those apart which do not say of what bill they are.
 */
function unreadable(fields: GivenFields, signature: string): BillNotice {
  // Of several values the first.
  const first = (name: string) => [fields[name] ?? ''].flat()[0] ?? ''
  const said = (name: string, lengthMax: number) => first(name).replaceAll('\0', '').slice(0, lengthMax) || null
  const amountOf = (name: string) => (AMOUNT.test(first(name)) ? Number(first(name)) : 0)
  return {
    isUnreadable: true,
    billId: said('id', BILL_ID_LENGTH_MAX) ?? `signed ${signature.slice(0, 16)}`,
    collectionId: said('collection_id', BILL_ID_LENGTH_MAX) ?? '',
    isPaid: first('paid') === 'true',
    amountSen: amountOf('amount'),
    paidSen: amountOf('paid_amount'),
    paidAt: null,
    transactionId: said('transaction_id', TRANSACTION_ID_LENGTH_MAX),
  }
}

function noticeOf(bill: z.infer<typeof Bill>): BillNotice {
  return {
    billId: bill.id,
    collectionId: bill.collection_id,
    isPaid: bill.paid,
    isDeleted: bill.state === 'deleted',
    amountSen: bill.amount,
    paidSen: bill.paid_amount,
    paidAt: instantOf(bill.paid_at),
    transactionId: null,
  }
}

/** From `2018-09-27 15:15:09 +0800`. */
function instantOf(text: string | null | undefined): string | null {
  const [, day, time, hours, minutes] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?) ?([+-]\d\d):?(\d\d)$/.exec(text ?? '') ?? []
  const atMs = Date.parse(`${day}T${time}${hours}:${minutes}`)
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString()
}
