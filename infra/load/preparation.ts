import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Auction, auctionRoutes } from '@wangian/contracts/auction.ts'
import { boostRoutes } from '@wangian/contracts/boost.ts'
import { Product } from '@wangian/contracts/catalogue.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { z } from 'zod'
import { inParallel } from '../local/seed/in-parallel.ts'
import type { ScriptPlan } from './scripts.ts'
import type { Site } from './site.ts'
import type { Shape } from './summary.ts'
import type { Limits } from './thresholds.ts'

/** Somebody who has signed in with an account made for this run. */
export interface LoadUser {
  readonly userId: number
  /** Good for a quarter of an hour. */
  readonly token: string
  readonly email: string
  readonly password: string
}

/** Passwords are hashed on the other side, which takes a core each. */
const SIGNING_UP_MAX = 4
const OPENING_MAX = 4
const MINUTE_MS = 60_000
const LOOKS_MAX = 100
const LOOK_INTERVAL_MS = 200

export const loadTerms = { startingPrice: 10, incrementSen: 10 } as const

/** How many products there are to look at. */
const PRODUCTS = 40

/** A seller and a buyer with what they deal in. */
interface Pair {
  readonly seller: LoadUser
  readonly buyer: LoadUser
  readonly productId: number
}

/** What all processes of k6 are told alike. */
interface Common {
  readonly shape: Shape
  readonly limits: Limits
}

/** Everything that one script needs, for as many processes as there are. */
export interface Stage {
  readonly auctionIds: readonly number[]
  /** What the lean client bids on, and as whom. */
  readonly lean: { readonly auctionId: number; readonly bidders: readonly LoadUser[] } | undefined
  /** Undefined where no boost can be paid for. */
  readonly boostPackageId: number | undefined
  /** Of the buyer of a pair, who signs in again: a long run is longer than a token lasts. */
  buyerToken(pair: number): Promise<string>
  /** The file of each process: its own share of the people, and what they have in common. */
  parts(processes: number, common: Common): readonly object[]
}

/** Makes the people and products that several scripts use. */
export async function openMarket(
  site: Site,
  asked: {
    readonly bidders: number
    readonly leanBidders: number
    readonly pairs: number
    readonly hasVisitors: boolean
    readonly hasBoosts: boolean
  },
): Promise<{ stageFor(plan: ScriptPlan, endsInMinutes: number): Promise<Stage> }> {
  const people = await signUpUsers(site, 2 + asked.bidders + asked.leanBidders + 2 * asked.pairs)
  // Two, as nobody may list more than 60 products an hour.
  const [seller, leanSeller] = people.splice(0, 2) as [LoadUser, LoadUser]
  const [bidders, leanBidders] = [people.splice(0, asked.bidders), people.splice(0, asked.leanBidders)]
  const [sellers, buyers] = [people.splice(0, asked.pairs), people]
  const count = Math.max(asked.hasVisitors ? PRODUCTS : 0, asked.pairs)
  const products = await listProducts(site, sellers.length > 0 ? sellers : [seller], count)
  const pairs = sellers.map((one, at): Pair => {
    const [buyer, product] = [buyers[at], products[at]]
    if (buyer === undefined || product === undefined) throw new Error('a pair needs a buyer and a product')
    return { seller: one, buyer, productId: product.id }
  })
  const boostPackageId = asked.hasBoosts ? await findBoostPackage(site) : undefined
  const hasPages = asked.hasVisitors && (await servesPages(site))
  return {
    async stageFor(plan, endsInMinutes) {
      const auctioned = await openAuctions(site, seller, plan.auctions, endsInMinutes)
      const isMeasured = plan.bidders > 0 && leanBidders.length > 0
      const [own] = isMeasured ? await openAuctions(site, leanSeller, 1, endsInMinutes) : []
      const people = {
        bidders: bidders.slice(0, plan.bidders),
        // Every other one is a guest.
        visitors: Array.from({ length: plan.visitors }, (_, at) => (at % 2 === 0 ? null : (bidders[at] ?? null))),
        pairs: pairs.slice(0, plan.pairs),
      }
      const auctionIds = auctioned.map(({ auctionId }) => auctionId)
      return {
        auctionIds,
        lean: own && { auctionId: own.auctionId, bidders: leanBidders },
        boostPackageId,
        async buyerToken(pair) {
          const buyer = people.pairs[pair]?.buyer
          if (buyer === undefined) throw new Error(`there is no pair ${pair}`)
          return (await signIn(site, buyer)).token
        },
        parts: (processes, common) =>
          Array.from({ length: processes }, (_, index) => {
            const share = <One>(all: readonly One[]) => {
              const { first, count } = shareOf(all.length, processes, index)
              return { first, own: all.slice(first, first + count) }
            }
            const [bidding, visiting, dealing] = [share(people.bidders), share(people.visitors), share(people.pairs)]
            const watching = shareOf(plan.watchers, processes, index)
            return {
              ...common,
              part: {
                firstBidder: bidding.first,
                firstVisitor: visiting.first,
                firstPair: dealing.first,
                firstWatcher: watching.first,
                watchers: watching.count,
                hasBoosts: index === 0 && common.shape.boostsPerMinute > 0,
              },
              baseUrl: site.url,
              incrementSen: loadTerms.incrementSen,
              auctionIds,
              products: [...products, ...auctioned],
              boostPackageId,
              hasPages,
              bidders: bidding.own,
              visitors: visiting.own,
              pairs: dealing.own,
            }
          }),
      }
    },
  }
}

/** Which of so many are those of one process: its first one, and how many. The shares are as even as can be, and together all of them. */
export function shareOf(total: number, processes: number, index: number): { first: number; count: number } {
  const first = Math.floor((total * index) / processes)
  return { first, count: Math.floor((total * (index + 1)) / processes) - first }
}

async function servesPages({ url }: Site): Promise<boolean> {
  const response = await fetch(url)
  await response.body?.cancel()
  return response.ok
}

const { exchangeSession } = identityRoutes
const SignedUp = z.object({ access_token: z.string().optional() })
const SignedIn = z.object({ access_token: z.string() })

/** Makes so many accounts and signs them in; names say that they are made for load. */
export async function signUpUsers(site: Site, count: number): Promise<LoadUser[]> {
  const run = randomBytes(4).toString('hex')
  const users: LoadUser[] = []
  const numbers = Array.from({ length: count }, (_, number) => number)
  await inParallel(SIGNING_UP_MAX, numbers, async (number) => {
    users.push(await signUp(site, `load-${run}-${number}`))
  })
  return users
}

async function signUp(site: Site, username: string): Promise<LoadUser> {
  const [email, password] = [`${username}@example.com`, randomBytes(18).toString('base64url')]
  const { access_token: granted } = await site.post(
    '/auth/v1/signup',
    { email, password, data: { username } },
    SignedUp,
  )
  return { ...(await exchange(site, granted ?? (await confirm(site, email)))), email, password }
}

/** Signs somebody in again. */
export async function signIn(site: Site, { email, password }: LoadUser): Promise<LoadUser> {
  const path = '/auth/v1/token?grant_type=password'
  const { access_token: granted } = await site.post(path, { email, password }, SignedIn)
  return { ...(await exchange(site, granted)), email, password }
}

async function exchange(site: Site, supabaseToken: string): Promise<{ userId: number; token: string }> {
  const { token, user } = await site.post(exchangeSession.path, { supabaseToken }, exchangeSession.answers[200])
  return { userId: user.id, token }
}

/** Confirms an address with the code in the mail to it, where mails are caught. @returns an access token */
async function confirm(site: Site, email: string): Promise<string> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const code = /code: (\d{6})$/m.exec((await site.mailTo(email)) ?? '')?.[1]
    if (code !== undefined) {
      const { access_token: token } = await site.post(
        '/auth/v1/verify',
        { type: 'signup', email, token: code },
        SignedUp,
      )
      if (token !== undefined) return token
    }
    await delay(LOOK_INTERVAL_MS)
  }
  throw new Error(
    `${site.url} mails a confirmation to ${email}, which never came; load reads it at /dev/inbox, or at MAILPIT_URL.`,
  )
}

/** A product that can be looked at. */
export interface LoadProduct {
  readonly id: number
  readonly sellerId: number
  /** Finds it, and others. */
  readonly words: string
  /** `null` for one that is not auctioned. */
  readonly auctionId: number | null
}

const houses = ['Amouage', 'Byredo', 'Creed', 'Diptyque', 'Lattafa', 'Le Labo', 'Rasasi', 'Tom Ford'] as const
const names = ['Amber', 'Cedar', 'Iris', 'Jasmine', 'Musk', 'Neroli', 'Oud', 'Rose', 'Saffron', 'Vetiver'] as const
const CATEGORIES = 4
/** Enough for all deals of a run. */
const BOTTLES = 100_000

/** Lists a product, which has the number in its name and differs from the others in house, name, category and price. */
async function listProduct(
  site: Site,
  seller: LoadUser,
  number: number,
  { listingType, stockQuantity = 1 }: { readonly listingType: 'fixed' | 'auction'; readonly stockQuantity?: number },
): Promise<LoadProduct> {
  const brand = houses[number % houses.length] ?? houses[0]
  const name = names[Math.floor(number / houses.length) % names.length] ?? names[0]
  const { id } = await site.post(
    sellingRoutes.createProduct.path,
    {
      name: `${name} ${number} (load test)`,
      brand,
      description: 'Made by npm run load; nothing that anybody can have.',
      price: loadTerms.startingPrice + number,
      categoryId: 1 + (number % CATEGORIES),
      listingType,
      stockQuantity,
    },
    Product,
    seller.token,
  )
  return { id, sellerId: seller.userId, words: `${brand} ${name}`, auctionId: null }
}

/** Lists so many products of these sellers in turn, each with enough bottles for all deals of a run. */
export async function listProducts(site: Site, sellers: readonly LoadUser[], count: number): Promise<LoadProduct[]> {
  const products: LoadProduct[] = []
  const numbers = Array.from({ length: count }, (_, number) => number)
  await inParallel(OPENING_MAX, numbers, async (number) => {
    const seller = sellers[number % sellers.length]
    if (seller === undefined) throw new Error('products need a seller')
    products[number] = await listProduct(site, seller, number, { listingType: 'fixed', stockQuantity: BOTTLES })
  })
  return products
}

/** Lists so many products of this seller and opens an auction on each. */
export async function openAuctions(
  site: Site,
  seller: LoadUser,
  count: number,
  endsInMinutes: number,
): Promise<(LoadProduct & { readonly auctionId: number })[]> {
  const products: (LoadProduct & { readonly auctionId: number })[] = []
  const numbers = Array.from({ length: count }, (_, number) => number + 1)
  await inParallel(OPENING_MAX, numbers, async (number) => {
    const product = await listProduct(site, seller, number, { listingType: 'auction' })
    const auction = await site.post(
      auctionRoutes.createAuction.path,
      {
        productId: product.id,
        startingPrice: loadTerms.startingPrice,
        bidIncrement: loadTerms.incrementSen / 100,
        endsAt: new Date(Date.now() + endsInMinutes * MINUTE_MS).toISOString(),
      },
      Auction,
      seller.token,
    )
    products.push({ ...product, auctionId: auction.id })
  })
  return products
}

/** The package for one product that costs least; `undefined` where nothing stands in for the payment provider. */
export async function findBoostPackage(site: Site): Promise<number | undefined> {
  const sandbox = await site.get('/dev/payment', z.unknown()).catch(() => undefined)
  if (!Array.isArray(sandbox)) return undefined
  const packages = await site.get(boostRoutes.listPackages.path, boostRoutes.listPackages.answers[200])
  const [cheapest] = packages.filter(({ item_count }) => item_count === 1).sort((one, other) => one.price - other.price)
  return cheapest?.id
}
