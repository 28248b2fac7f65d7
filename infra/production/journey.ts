import assert from 'node:assert/strict'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { picture } from '@wangian/kit/testing/pictures.ts'
import { type Market, PASSWORD, type Trader } from '../rig/market.ts'

/** A system that runs for production, as people find it. */
export interface PublicSite {
  readonly publicUrl: string
  readonly market: Market
  /** The text of the newest mail to this address; undefined while there is none. */
  mailTo(email: string): Promise<string | undefined>
  say(line: string): void
}

/** Registers, opens the link of the mail, and signs in. */
export async function signUp({ publicUrl, market, mailTo, say }: PublicSite, username: string): Promise<Trader> {
  const email = `${username}@example.com`
  const person = { email, password: PASSWORD, data: { username } }
  const { access_token: early } = await market.succeed('POST', '/auth/v1/signup', undefined, person)
  assert.equal(early, undefined, 'nobody is signed in before the address is confirmed')
  const link = await eventually(async () => {
    const [found] = /https?:\/\/\S+/.exec((await mailTo(email)) ?? '') ?? []
    assert.ok(found !== undefined)
    return found
  })
  assert.ok(link.startsWith(`${publicUrl}/`), `the link of the mail is ${link}`)
  assert.equal((await fetch(link)).status, 200, `the page of ${link}`)
  // What the page does with it.
  const verified = { type: 'signup', token_hash: new URL(link).searchParams.get('token_hash') }
  const session = await market.succeed('POST', '/auth/v1/verify', undefined, verified)
  const claims = JSON.parse(Buffer.from(session.access_token.split('.')[1], 'base64url').toString())
  assert.equal(claims.iss, `${publicUrl}/auth/v1`)
  const trader = await market.signIn(email)
  say(`${username} has signed up, by the link ${new URL(link).pathname}`)
  return trader
}

/**
 * A listing with a picture, for auction, and a bid of which others hear.
 * @returns the auction, whose highest bid is 12
 */
export async function expectAuction(site: PublicSite, seller: Trader, buyer: Trader): Promise<number> {
  const { publicUrl, market, say } = site
  const { productId, auctionId } = await market.openAuction(seller)
  const announced = { productId, imageUrl: crypto.randomUUID(), imageOrder: 0 }
  const { id } = await market.succeed('POST', '/api/product-images', seller.token, announced)
  const form = new FormData()
  form.append('image', new Blob([new Uint8Array(await picture())], { type: 'image/jpeg' }), 'bottle.jpg')
  const { imageUrl } = await market.succeed('POST', `/api/product-images/${id}/upload`, seller.token, form)
  const shown = await fetch(`${publicUrl}/api/images/${imageUrl}`)
  assert.equal(shown.status, 200)
  assert.match(shown.headers.get('content-type') ?? '', /^image\//)
  const [watching, bidding] = [await market.sitDown(seller), await market.sitDown(buyer)]
  watching.send({ type: 'joinAuction', auctionId, userId: seller.userId })
  await watching.heard('auctionJoined')
  bidding.bid(auctionId, 12)
  await bidding.heard('bidAccepted')
  await watching.heard('newBid')
  for (const seat of [watching, bidding]) seat.leave()
  say('a picture was uploaded, and a bid heard by the seller')
  return auctionId
}
