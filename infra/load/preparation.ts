import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Auction, auctionRoutes } from '@wangian/contracts/auction.ts'
import { Product } from '@wangian/contracts/catalogue.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { z } from 'zod'
import { inParallel } from '../local/seed/in-parallel.ts'
import type { Site } from './site.ts'

/** Somebody who has signed in with an account made for this run. */
export interface LoadUser {
  readonly userId: number
  readonly token: string
}

/** Passwords are hashed on the other side, which takes a core each. */
const SIGNING_UP_MAX = 4
const OPENING_MAX = 4
const MINUTE_MS = 60_000
const LOOKS_MAX = 100
const LOOK_INTERVAL_MS = 200

export const loadTerms = { startingPrice: 10, incrementSen: 10 } as const

const { exchangeSession } = identityRoutes
const SignedUp = z.object({ access_token: z.string().optional() })
const Inbox = z.array(z.object({ text: z.string() }))

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
  const email = `${username}@example.com`
  const { access_token: granted } = await site.post(
    '/auth/v1/signup',
    { email, password: randomBytes(18).toString('base64url'), data: { username } },
    SignedUp,
  )
  const supabaseToken = granted ?? (await confirm(site, email))
  const { token, user } = await site.post(exchangeSession.path, { supabaseToken }, exchangeSession.answers[200])
  return { userId: user.id, token }
}

/** Confirms an address with the code in the mail to it, where mails are caught. @returns an access token */
async function confirm(site: Site, email: string): Promise<string> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const [mail] = await site.get(`/dev/inbox/messages?to=${encodeURIComponent(email)}`, Inbox)
    const code = /code: (\d{6})$/m.exec(mail?.text ?? '')?.[1]
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
  throw new Error(`${site.url} mails a confirmation to ${email}, which never came; load reads it at /dev/inbox.`)
}

/** Lists so many products of this seller and opens an auction on each; resolves to the auctions' ids. */
export async function openAuctions(
  site: Site,
  seller: LoadUser,
  count: number,
  endsInMinutes: number,
): Promise<number[]> {
  const ids: number[] = []
  const numbers = Array.from({ length: count }, (_, number) => number + 1)
  await inParallel(OPENING_MAX, numbers, async (number) => {
    const product = await site.post(
      sellingRoutes.createProduct.path,
      {
        name: `Load test ${number}`,
        brand: 'Load test',
        description: 'Made by npm run load; nothing that anybody can have.',
        price: loadTerms.startingPrice,
        categoryId: 1,
        listingType: 'auction',
      },
      Product,
      seller.token,
    )
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
    ids.push(auction.id)
  })
  return ids
}
