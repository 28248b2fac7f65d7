import { boostRoutes } from '@wangian/contracts/boost.ts'
import type { Listed } from './listings.ts'
import type { People } from './people.ts'
import { type Person, Refusal } from './site.ts'

/** What becomes of an order: as the buttons of the sandbox's page have it. `null` waits for its payment. */
const orders = [
  { seller: 'sarah', boostPackageId: 1, count: 1, action: 'pay' },
  { seller: 'sarah', boostPackageId: 1, count: 1, action: 'fail' },
  { seller: 'hafiz', boostPackageId: 5, count: 1, action: 'pay' },
  { seller: 'hafiz', boostPackageId: 1, count: 1, action: null },
] as const

/** Has sellers who have ordered nothing yet pay for boosts, where a payment sandbox is at hand. */
export async function buyBoosts(url: string, people: People, listed: readonly Listed[]): Promise<void> {
  const { path, answers } = boostRoutes.listPayments
  for (const [username, wanted] of Map.groupBy(orders, ({ seller }) => seller)) {
    const seller = await people.find(username)
    if (seller === null || (await seller.get(path, answers[200])).length > 0) continue
    if (!(await fetch(`${url}/dev/payment`)).ok) return
    const free = listed
      .filter(({ perfume }) => perfume.seller === username && perfume.auction === undefined)
      .map(({ product }) => product.id)
    for (const { boostPackageId, count, action } of wanted) {
      const paymentUrl = await order(seller, boostPackageId, count, free)
      if (paymentUrl === null || action === null) continue
      const response = await fetch(`${paymentUrl}/${action}`, { method: 'POST', redirect: 'manual' })
      await response.body?.cancel()
    }
  }
}

/** Orders for the first of these products that can be boosted, and takes out those that were tried. */
async function order(seller: Person, boostPackageId: number, count: number, free: number[]): Promise<string | null> {
  const { path, answers } = boostRoutes.createOrder
  while (free.length >= count) {
    const form = { boostPackageId, productIds: free.splice(0, count) }
    try {
      return (await seller.post(path, form, answers[201])).paymentUrl
    } catch (error) {
      // Somebody has bought it meanwhile.
      if (!(error instanceof Refusal) || error.status !== 409) throw error
    }
  }
  return null
}
