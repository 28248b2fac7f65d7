import { adminRoutes } from '@wangian/contracts/admin.ts'
import { Auction, auctionRoutes } from '@wangian/contracts/auction.ts'
import { Product } from '@wangian/contracts/catalogue.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { z } from 'zod'
import { type DemoPerson, demoPeople } from '../rig/demo-browser.ts'

/** What somebody has done before a task begins, without the site. */
export interface DemoCalls {
  listBottle(name: string, price: number): Promise<number>
  openAuction(name: string): Promise<number>
  removeListing(productId: number, reason: string): Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Calls to the site at this address. */
export function demoCalls(url: string): DemoCalls {
  async function post<Answer>(path: string, body: unknown, answer: z.ZodType<Answer>, token?: string): Promise<Answer> {
    const response = await fetch(new URL(path, url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        apikey: 'tasks',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
    return answer.parse(await response.json())
  }

  async function tokenOf(who: DemoPerson): Promise<string> {
    const login = { email: `${who}@wangian.test`, password: demoPeople[who] }
    const provider = z.object({ access_token: z.string() })
    const { access_token } = await post('/auth/v1/token?grant_type=password', login, provider)
    const { path } = identityRoutes.exchangeSession
    return (await post(path, { supabaseToken: access_token }, z.object({ token: z.string() }))).token
  }

  async function list(name: string, price: number, listingType: 'negotiable' | 'auction'): Promise<number> {
    const listing = { ...bottle, name, price, listingType }
    const product = await post(
      sellingRoutes.createProduct.path,
      listing,
      Product.pick({ id: true }),
      await tokenOf('sarah'),
    )
    return product.id
  }

  return {
    listBottle: (name, price) => list(name, price, 'negotiable'),
    async openAuction(name) {
      const productId = await list(name, 40, 'auction')
      const endsAt = new Date(Date.now() + DAY_MS).toISOString()
      const terms = { productId, startingPrice: 40, bidIncrement: 5, endsAt }
      const auction = await post(
        auctionRoutes.createAuction.path,
        terms,
        Auction.pick({ id: true }),
        await tokenOf('sarah'),
      )
      return auction.id
    },
    async removeListing(productId, reason) {
      const path = adminRoutes.removeListing.path.replace(':productId', String(productId))
      await post(path, { reason }, z.unknown(), await tokenOf('admin'))
    },
  }
}

const bottle = {
  brand: 'Maison Tasks',
  description: 'A bottle that exists for the length of a task.',
  categoryId: 4,
  remainingPercentage: 90,
  volume: 50,
}
