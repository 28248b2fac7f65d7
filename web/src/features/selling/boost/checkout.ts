import type { BoostPackage } from '@wangian/contracts/boost.ts'
import { z } from 'zod'
import type { BoostCheckoutAddress } from '../../../paths.ts'

/** What the address of the checkout says. */
export interface Choice {
  readonly step: NonNullable<BoostCheckoutAddress['step']> | null
  readonly packageId: number | null
  /** In the order in which they were chosen. */
  readonly productIds: readonly number[]
  readonly isPremium: boolean
}

const steps = ['select-package', 'select-products', 'checkout'] as const
export type Step = (typeof steps)[number]

/** What an entry of the browser's history keeps besides the address. */
const Entry = z.object({
  /** What the entry before it shows, where that is known: who goes back there goes back in the history. */
  before: z
    .enum(['dashboard', ...steps])
    .optional()
    .catch(undefined),
  /** What makes two requests one order. */
  requestKey: z.uuid().optional().catch(undefined),
})
export type Entry = z.infer<typeof Entry>

export function entryFrom(state: unknown): Entry {
  return Entry.safeParse(state).data ?? {}
}

/** For links of the dashboard to the checkout. */
export const fromDashboard: Entry = { before: 'dashboard' }

/** More than any package is for; an address that anybody can write may hold more. */
const productsMax = 100

export function choiceFrom(parameters: URLSearchParams): Choice {
  const ids = (parameters.get('products') ?? '').split(',').map(idFrom)
  return {
    step: steps.find((known) => known === parameters.get('step')) ?? null,
    packageId: idFrom(parameters.get('package') ?? ''),
    productIds: [...new Set(ids.filter((id) => id !== null))].slice(0, productsMax),
    isPremium: parameters.get('type') === 'premium',
  }
}

/** Which step is open: never one that lacks what the step before it is for. */
export function stepOf(choice: Choice, chosen: Pick<BoostPackage, 'item_count'> | undefined): Step {
  if (choice.step === 'select-package' || !chosen) return 'select-package'
  if (choice.step === 'select-products' || choice.productIds.length !== chosen.item_count) return 'select-products'
  return 'checkout'
}

/** Whether both are the same products, in any order. */
export function areSameProducts(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id))
}

function idFrom(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null
}
