import { auctionRoutes } from '@wangian/contracts/auction.ts'
import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { auctionPage, nowMs, product, tokenFor } from '../testing/fixtures.ts'
import { mockApi, refusal } from '../testing/mock-api.ts'
import { ApiError } from './api-error.ts'
import { appToken } from './app-token.ts'
import { call, callFile, callPage, onRefusal, urlOf } from './client.ts'

let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  localStorage.clear()
  onRefusal({ ofToken: async () => null, ofPerson: () => {} })
})
afterEach(() => api.restore())

const readAuction = () => call(auctionRoutes.getAuction, { params: { auctionId: 1 } })

describe('an address', () => {
  it('is built from the route, its parameters and what is set of its query', () => {
    expect(urlOf(auctionRoutes.getAuction, { params: { auctionId: 7 } })).toBe('/api/auctions/7')
    expect(urlOf(catalogueRoutes.getImage, { params: { name: 'a/b' } })).toBe('/api/images/a%2Fb')
    expect(urlOf(catalogueRoutes.listProducts, { query: { search: 'a b', category: undefined, limit: 24 } })).toBe(
      '/api/products?search=a+b&limit=24',
    )
    expect(urlOf(catalogueRoutes.listProducts, { query: { type: ['fixed', 'negotiable'], brand: [] } })).toBe(
      '/api/products?type=fixed&type=negotiable',
    )
  })
})

describe('an answer', () => {
  it('is checked against the contract', async () => {
    api.answer(auctionRoutes.getAuction, () => auctionPage(2))
    expect((await readAuction()).currentBid).toBe(60)
    api.answer(auctionRoutes.getAuction, () => Response.json({ id: 'seven' }))
    await expect(readAuction()).rejects.toThrow()
  })

  it('carries its page', async () => {
    api.answer(catalogueRoutes.listProducts, () => [product], {
      'x-total-count': '65',
      link: '</api/products?limit=24&cursor=abc%3D>; rel="next"',
    })
    const page = await callPage(catalogueRoutes.listProducts, { query: { limit: 24 } })
    expect(page).toMatchObject({ total: 65, nextCursor: 'abc=', answer: [{ name: 'Oud Wood' }] })
    api.answer(catalogueRoutes.listProducts, () => [])
    expect(await callPage(catalogueRoutes.listProducts, {})).toMatchObject({ total: null, nextCursor: null })
  })
})

describe('a refusal', () => {
  it('is an error with the status, the body and what to show', async () => {
    api.answer(auctionRoutes.getAuction, () => refusal('auction-not-found'))
    const error = await readAuction().catch((failure: unknown) => failure as ApiError)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      message: '404: {"code":"auction-not-found","message":"Auction not found","requestId":"request-1"}',
      status: 404,
      code: 'auction-not-found',
      shown: 'Auction not found',
      requestId: 'request-1',
    })
  })

  it('shows what the server says, even with a code that only a newer one knows', async () => {
    const body = { code: 'not-yet-known', message: 'Come back tomorrow.', requestId: 'request-1' }
    api.answer(auctionRoutes.getAuction, () => Response.json(body, { status: 409 }))
    const error = await readAuction().catch((failure: unknown) => failure as ApiError)
    expect(error).toMatchObject({ status: 409, code: 'not-yet-known', shown: 'Come back tomorrow.' })
  })

  it('says the status text when the body is empty, and something fit to show when it is not ours', async () => {
    api.answer(auctionRoutes.getAuction, () => new Response('', { status: 502, statusText: 'Bad Gateway' }))
    await expect(readAuction()).rejects.toMatchObject({
      message: '502: Bad Gateway',
      shown: 'This is not available right now. Please try again in a moment.',
    })
  })

  it('has status 0 when nobody answered', async () => {
    await expect(readAuction()).rejects.toMatchObject({
      status: 0,
      shown: 'This is not available right now. Please try again in a moment.',
    })
  })
})

describe('an answer that breaks off', () => {
  const brokenOff = (status: number) => {
    const body = new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) })
    return new Response(body, { status, statusText: 'Conflict' })
  }

  it('is no answer', async () => {
    api.answer(auctionRoutes.getAuction, () => brokenOff(200))
    api.answer(catalogueRoutes.getImage, () => brokenOff(200))
    const file = callFile(catalogueRoutes.getImage, { params: { name: 'a.png' } })
    for (const broken of [readAuction(), file]) {
      await expect(broken).rejects.toMatchObject({
        status: 0,
        shown: 'This is not available right now. Please try again in a moment.',
      })
    }
  })

  it('is a refusal all the same where it has begun as one', async () => {
    api.answer(auctionRoutes.getAuction, () => brokenOff(409))
    await expect(readAuction()).rejects.toMatchObject({ status: 409, message: '409: Conflict' })
  })
})

describe('a token', () => {
  const token = tokenFor({ id: 10, username: 'bala' }, nowMs)

  it('goes with every call while somebody is signed in', async () => {
    api.answer(auctionRoutes.getAuction, () => auctionPage(0))
    await readAuction()
    appToken.store(token)
    await readAuction()
    expect(api.received.map((request) => request.token)).toEqual([null, token])
  })

  it('does not go with a question that everybody may ask', async () => {
    api.answer(catalogueRoutes.listFeatured, () => [])
    appToken.store(token)
    await call(catalogueRoutes.listFeatured, {})
    expect(api.received.map((request) => request.token)).toEqual([null])
  })

  it('is renewed once when it is refused', async () => {
    appToken.store(token)
    const renew = vi.fn(async () => 'fresh')
    onRefusal({ ofToken: renew, ofPerson: () => {} })
    api.answer(auctionRoutes.getAuction, (request) =>
      request.token === 'fresh' ? auctionPage(0) : refusal('invalid-token'),
    )
    await readAuction()
    expect(renew).toHaveBeenCalledOnce()
    api.answer(auctionRoutes.getAuction, () => refusal('invalid-token'))
    await expect(readAuction()).rejects.toMatchObject({ status: 401 })
    expect(api.countOf(auctionRoutes.getAuction)).toBe(4)
  })

  it('is not replaced by that of somebody else who has signed in meanwhile', async () => {
    appToken.store(token)
    const ofToken = async () => {
      appToken.store(tokenFor({ id: 11, username: 'mei' }, nowMs))
      return appToken.read()
    }
    onRefusal({ ofToken, ofPerson: () => {} })
    api.answer(auctionRoutes.getAuction, () => refusal('invalid-token'))
    await expect(readAuction()).rejects.toMatchObject({ status: 401 })
    expect(api.received.map((request) => request.token)).toEqual([token])
  })

  it('is renewed before it is sent when it has ended', async () => {
    localStorage.setItem('app_token', tokenFor({ id: 10, username: 'bala' }, Date.now() - 1_000))
    onRefusal({ ofToken: async () => token, ofPerson: () => {} })
    api.answer(auctionRoutes.getAuction, () => auctionPage(0))
    await readAuction()
    expect(api.received.map((request) => request.token)).toEqual([token])
  })

  it('that has ended with its session leaves a guest, who asks without', async () => {
    localStorage.setItem('app_token', tokenFor({ id: 10, username: 'bala' }, Date.now() - 1_000))
    api.answer(auctionRoutes.getAuction, () => auctionPage(0))
    await readAuction()
    expect(api.received.map((request) => request.token)).toEqual([null])
  })
})
