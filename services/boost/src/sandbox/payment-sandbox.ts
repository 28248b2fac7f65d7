import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, type AppReply, type AppRequest, createApp } from '@wangian/kit/http/http.ts'
import { type Logger, silentLogger } from '@wangian/kit/service/logger.ts'
import { z } from 'zod'
import { signFields } from '../payment/x-signature.ts'
import { addBillPages } from './bill-pages.ts'
import { sandboxKeys } from './sandbox-keys.ts'

const HOST = '127.0.0.1'
const CALLBACK_TIMEOUT_MS = 20_000
/** How long the page waits for the callback before it sends the browser back. */
const PATIENCE_MS = 2_000
/** As the real one repeats a callback that nobody takes, only sooner. */
const RETRY_AFTER_MS = [5_000, 15_000, 60_000, 300_000]
const LATE_MS = 60_000
const MALAYSIA_OFFSET_MS = 8 * 60 * 60 * 1000

export const Bill = z.object({
  id: z.string(),
  collection_id: z.string(),
  paid: z.boolean(),
  state: z.enum(['due', 'paid', 'deleted']),
  amount: z.int().positive(),
  paid_amount: z.int().min(0),
  due_at: z.string(),
  email: z.string(),
  mobile: z.null(),
  name: z.string(),
  url: z.string(),
  reference_1_label: z.string(),
  reference_1: z.string(),
  redirect_url: z.string(),
  callback_url: z.string(),
  description: z.string(),
  paid_at: z.string().nullable(),
  transaction_id: z.string().nullable(),
})
export type Bill = z.infer<typeof Bill>

const NewBill = z.object({
  collection_id: z.literal(sandboxKeys.collectionId),
  email: z.email(),
  name: z.string().min(1).max(255),
  amount: z.coerce.number().int().positive(),
  callback_url: z.url(),
  description: z.string().min(1).max(200),
  redirect_url: z.url(),
  reference_1_label: z.string().max(20).default(''),
  reference_1: z.string().max(120).default(''),
})

/** What is done with a bill; `late` and `silent`: it is paid, and the callback comes later or never. */
export type BillAction = 'pay' | 'fail' | 'late' | 'silent'

export interface PaymentSandbox {
  /** For BILLPLZ_URL. */
  readonly apiUrl: string
  /** For the gateway, which shows the pages of the bills. */
  readonly url: string
  bills(): readonly Bill[]
  /** True answers the API with 503. */
  isAway: boolean
  /** As the buttons of the page do. @returns where the browser goes then */
  act(billId: string, action: BillAction): Promise<string>
  stop(): Promise<void>
}

/**
 * Stands in for the payment provider: the same API, and a page to pay. For development and tests; it takes nobody's money and listens on this
 * machine only.
 * @param options.pagesUrl where people reach the pages; this process itself when not given
 * @param options.directory where bills are kept over restarts; nowhere when not given
 */
export async function startPaymentSandbox(options: {
  readonly port?: number
  readonly pagesUrl?: string
  readonly directory?: string
  readonly lateMs?: number
  readonly retryAfterMs?: readonly number[]
  readonly log?: Logger
}): Promise<PaymentSandbox> {
  const { log = silentLogger, lateMs = LATE_MS, retryAfterMs = RETRY_AFTER_MS } = options
  const bills = openBills(options.directory)
  const timers = new Set<NodeJS.Timeout>()

  function later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }

  /** Tells the shop, and tells it again until somebody takes it. */
  async function tell(bill: Bill, tries = 0): Promise<void> {
    try {
      const response = await fetch(bill.callback_url, {
        method: 'POST',
        body: new URLSearchParams(callbackOf(bill)),
        signal: AbortSignal.timeout(CALLBACK_TIMEOUT_MS),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the callback was answered with ${response.status}`)
    } catch (error) {
      log.warn({ err: error, billId: bill.id }, 'a callback was not taken')
      const nextMs = retryAfterMs[tries]
      if (nextMs !== undefined) later(nextMs, () => void tell(bill, tries + 1))
    }
  }

  async function act(billId: string, action: BillAction): Promise<string> {
    const bill = bills.find(billId)
    if (bill === undefined) throw new Rejection('not-found')
    if (bill.paid) return redirectOf(bill)
    const isPaid = action !== 'fail'
    const paid: Bill = {
      ...bill,
      paid: true,
      state: 'paid',
      paid_amount: bill.amount,
      paid_at: malaysianTime(),
      transaction_id: newId(),
    }
    const after = isPaid ? paid : { ...bill, transaction_id: newId() }
    bills.save(after)
    if (action === 'late') later(lateMs, () => void tell(after))
    if (action === 'pay' || action === 'fail')
      await Promise.race([tell(after), new Promise<void>((resolve) => later(PATIENCE_MS, resolve))])
    return redirectOf(after)
  }

  const fault = { isAway: false }
  const app = createApp({ name: 'payment-sandbox', logger: log })
  app.addHook('onRequest', async ({ url }) => {
    if (fault.isAway && url.startsWith('/api/')) throw new Rejection('unavailable')
  })
  acceptForms(app)
  addApi(app, bills, () => options.pagesUrl ?? urlOf(app))
  addBillPages(app, { find: bills.find, list: bills.list, act })
  await app.listen({ host: HOST, port: options.port ?? 0 })
  return Object.assign(fault, {
    apiUrl: `${urlOf(app)}/api`,
    url: urlOf(app),
    bills: bills.list,
    act,
    async stop() {
      for (const timer of timers) clearTimeout(timer)
      await app.close()
    },
  })
}

const urlOf = (app: App) => `http://${HOST}:${(app.server.address() as AddressInfo).port}`
const newId = () => randomBytes(6).toString('hex')

function addApi(app: App, bills: Bills, pagesUrl: () => string): void {
  const guard = async (request: AppRequest) => {
    const expected = `Basic ${Buffer.from(`${sandboxKeys.apiKey}:`).toString('base64')}`
    if (request.headers.authorization !== expected) throw new Rejection('authentication-required')
  }
  const known = (id: string, reply: AppReply) => {
    const bill = bills.find(id)
    return bill ?? reply.code(404).send({ error: { type: 'RecordNotFound', message: ['Bill not found'] } })
  }
  app.post('/api/v3/bills', { onRequest: guard }, async (request, reply) => {
    const form = NewBill.safeParse(request.body)
    if (!form.success) {
      const message = form.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)
      return reply.code(422).send({ error: { type: 'RecordInvalid', message } })
    }
    const id = newId()
    const url = `${pagesUrl()}/dev/payment/bills/${id}`
    const due = {
      paid: false,
      state: 'due',
      paid_amount: 0,
      mobile: null,
      paid_at: null,
      transaction_id: null,
    } as const
    const due_at = malaysianTime().slice(0, 10)
    return bills.save({ ...form.data, ...due, id, url, due_at, name: form.data.name.toUpperCase() })
  })
  app.get<{ Params: { id: string } }>('/api/v3/bills/:id', { onRequest: guard }, async (request, reply) =>
    known(request.params.id, reply),
  )
  app.get<{ Params: { id: string } }>(
    '/api/v3/bills/:id/transactions',
    { onRequest: guard },
    async (request, reply) => {
      const bill = bills.find(request.params.id)
      if (bill === undefined) return known(request.params.id, reply)
      const transaction = {
        id: bill.transaction_id,
        status: bill.paid ? 'completed' : 'failed',
        completed_at: bill.paid_at,
        payment_channel: 'SANDBOX',
      }
      return { bill_id: bill.id, transactions: bill.transaction_id === null ? [] : [transaction], page: 1 }
    },
  )
  app.delete<{ Params: { id: string } }>('/api/v3/bills/:id', { onRequest: guard }, async (request, reply) => {
    const bill = bills.find(request.params.id)
    if (bill === undefined) return known(request.params.id, reply)
    if (bill.paid) return reply.code(422).send({ error: { type: 'RecordInvalid', message: ['Bill is paid'] } })
    bills.save({ ...bill, state: 'deleted' })
    return {}
  })
}

/** What the provider tells the shop, signed. */
function callbackOf(bill: Bill): Record<string, string> {
  const { id, collection_id, paid, state, amount, paid_amount, due_at, email, name, url, paid_at, transaction_id } =
    bill
  const fields = {
    ...{ id, collection_id, state, due_at, email, name, url, mobile: '' },
    ...{ paid: String(paid), amount: String(amount), paid_amount: String(paid_amount), paid_at: paid_at ?? '' },
    transaction_id: transaction_id ?? '',
    transaction_status: paid ? 'completed' : 'failed',
  }
  return { ...fields, x_signature: signFields(fields, sandboxKeys.signatureKey) }
}

function redirectOf(bill: Bill): string {
  const fields = {
    'billplz[id]': bill.id,
    'billplz[paid]': String(bill.paid),
    'billplz[paid_at]': bill.paid_at ?? '',
    'billplz[transaction_id]': bill.transaction_id ?? '',
    'billplz[transaction_status]': bill.paid ? 'completed' : 'failed',
  }
  const query = new URLSearchParams({ ...fields, 'billplz[x_signature]': signFields(fields, sandboxKeys.signatureKey) })
  return `${bill.redirect_url}?${query}`
}

/** `2018-09-27 15:15:09 +0800`. */
function malaysianTime(): string {
  const local = new Date(Date.now() + MALAYSIA_OFFSET_MS).toISOString()
  return `${local.slice(0, 10)} ${local.slice(11, 19)} +0800`
}

interface Bills {
  find(id: string): Bill | undefined
  list(): readonly Bill[]
  save(bill: Bill): Bill
}

function openBills(directory: string | undefined): Bills {
  const file = directory === undefined ? undefined : join(directory, 'bills.json')
  const bills = new Map<string, Bill>()
  if (file !== undefined) {
    mkdirSync(directory as string, { recursive: true })
    for (const bill of readBills(file)) bills.set(bill.id, bill)
  }
  return {
    find: (id) => bills.get(id),
    list: () => [...bills.values()],
    save(bill) {
      bills.set(bill.id, bill)
      if (file !== undefined) {
        writeFileSync(`${file}.new`, JSON.stringify([...bills.values()]))
        renameSync(`${file}.new`, file)
      }
      return bill
    },
  }
}

function readBills(file: string): Bill[] {
  try {
    return z.array(Bill).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function acceptForms(app: App): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
}
