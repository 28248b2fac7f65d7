import { auctionRoutes } from '@wangian/contracts/auction.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appToken } from '../../api/app-token.ts'
import { i18n, loadWords } from '../../i18n/i18n.ts'
import { later, tokenFor } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { noProgress, type Progress } from './draft-store.ts'
import type { Listing, ProductBody } from './listing-rules.ts'
import { refusedToast } from './listing-toasts.ts'
import { savedAuctionOf, savedProductOf } from './listing-values.ts'
import { keptPictures, type ListingPicture, withMoved } from './pictures.ts'
import { AnotherPersonError, type Plan, publish, type StepState, stepsOf } from './publish.ts'
import { type Mishap, sellingServer } from './testing/selling-server.ts'

const requestKey = '0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d10'
const product: ProductBody = {
  name: 'Oud Wood',
  brand: 'Tom Ford',
  description: 'Kept in the dark.',
  price: 50,
  imageUrl: null,
  stockQuantity: 1,
  categoryId: 4,
  remainingPercentage: 72,
  purchaseYear: null,
  boxCondition: 'Good',
  batchCode: null,
  listingType: 'auction',
  volume: 100,
}
const terms = {
  startingPrice: 50,
  reservePrice: null,
  buyNowPrice: null,
  bidIncrement: 0.1,
  endsAt: later(604_800_000),
}
const keys = ['picture-1', 'picture-2', 'picture-3', 'picture-4', 'picture-5']
const pictures: readonly ListingPicture[] = keys.map((key) => ({
  kind: 'file',
  key,
  file: new File([key], `${key}.jpg`, { type: 'image/jpeg' }),
}))
const plan: Plan = {
  sellerId: 3,
  listing: { product, auction: terms },
  pictures,
  knownImageIds: [],
  makesProduct: true,
  picturesFirst: true,
  isFrozen: false,
}
const routesAtBest = [
  sellingRoutes.createProduct,
  ...keys.flatMap(() => [sellingRoutes.registerImage, sellingRoutes.uploadImage]),
  auctionRoutes.createAuction,
]
/** Calls of a listing with nothing going wrong: the product, each picture twice, the auction. */
const callsAtBest = 12

let api: ReturnType<typeof mockApi>
let server: ReturnType<typeof sellingServer>
let progress: Progress
let told: string[]

beforeEach(() => {
  api = mockApi()
  server = sellingServer(api)
  progress = noProgress(() => requestKey)
  told = []
})
afterEach(() => api.restore())

/** As after a reload: nothing is left of a run but the progress that it kept. */
async function run(changes: Partial<Plan> = {}, onlyPicture?: string) {
  const kept = JSON.parse(JSON.stringify(progress)) as Progress
  return await publish(
    { ...plan, ...changes },
    kept,
    {
      tell: ({ key }, state) => told.push(`${key} ${textOf(state)}`),
      save: (next) => {
        progress = next
      },
      wait: async () => {},
    },
    onlyPicture,
  )
}

function textOf(state: StepState): string {
  return state.status === 'running' && state.part !== null ? `at ${state.part}` : state.status
}

/** Exactly one product and one auction, and every picture once and in its place. */
function expectAllOnce(names: readonly string[] = keys) {
  expect([...server.held.keys()]).toHaveLength(1)
  const [held] = server.held.values()
  expect(held).toMatchObject({ product: { ...product, id: 101 }, auction: { ...terms, productId: 101 } })
  expect(held && server.imagesOf(held).map(({ imageUrl }) => imageUrl)).toEqual(names)
  expect(held?.images).toHaveLength(names.length)
}

describe('a listing that goes well', () => {
  it('is made step by step: the product, each picture, the auction', async () => {
    expect(stepsOf(plan, progress).map(({ key }) => key)).toEqual(['product', ...keys, 'auction'])
    expect(await run()).toMatchObject({ kind: 'done', productId: 101, failures: [] })
    expect(server.calls.map(({ route }) => route)).toEqual(routesAtBest)
    expectAllOnce()
    expect(told.slice(0, 7)).toEqual([
      'product running',
      'product done',
      'picture-1 running',
      'picture-1 at 0.5',
      'picture-1 at 1',
      'picture-1 done',
      'picture-2 running',
    ])
    expect(stepsOf(plan, progress)).toEqual([])
  })

  it('changes nothing when it is done once more', async () => {
    await run()
    server.fail(() => 'none')
    expect(await run()).toMatchObject({ kind: 'done', productId: 101, failures: [] })
    expect(server.calls).toEqual([])
  })
})

describe('a picture with a long name', () => {
  it('is announced with whole signs alone, since half of one is refused', async () => {
    const file = new File(['oud'], `${'x'.repeat(254)}😀.jpg`, { type: 'image/jpeg' })
    await run({ pictures: [{ kind: 'file', key: 'picture-1', file }] })
    expect(server.callsOf(sellingRoutes.registerImage)).toMatchObject([{ body: { imageName: 'x'.repeat(254) } }])
  })
})

describe('somebody else who signs in meanwhile, in another tab', () => {
  const signIn = (id: number) => appToken.store(tokenFor({ id, username: `user-${id}` }, Date.now() + 900_000))
  afterEach(() => appToken.clear())

  it.each([sellingRoutes.registerImage, sellingRoutes.uploadImage, auctionRoutes.createAuction])(
    'lists nothing for its seller at $path, who goes on afterwards',
    async (next) => {
      signIn(3)
      server.fail(({ number }) => {
        if (routesAtBest[number] === next) signIn(4)
        return 'none'
      })
      const outcome = await run()
      expect(outcome).toMatchObject({ kind: 'stopped', failure: { error: expect.any(AnotherPersonError) } })
      expect(server.calls.at(-1)?.route).toBe(routesAtBest[routesAtBest.indexOf(next) - 1])
      server.fail(() => 'none')
      signIn(3)
      expect(await run()).toMatchObject({ kind: 'done', failures: [] })
      expectAllOnce()
    },
  )

  it('is said to them', () => {
    const failure = {
      step: { kind: 'picture', key: 'picture-1', number: 1 },
      error: new AnotherPersonError(),
      stage: null,
    }
    expect(refusedToast(failure as never, true, ((key: string) => key) as never).title).toBe(
      'sell.toasts.anotherPerson',
    )
  })
})

describe('a seller who is not signed in any more', () => {
  beforeEach(loadWords)

  it.each([
    sellingRoutes.createProduct,
    sellingRoutes.registerImage,
    sellingRoutes.uploadImage,
    auctionRoutes.createAuction,
  ])('is stopped at $path, told to sign in again, and goes on afterwards', async (refused) => {
    server.fail(({ route }) => (route === refused ? 'signed out' : 'none'))
    const outcome = await run()
    expect(server.calls.at(-1)?.route).toBe(refused)
    if (outcome.kind !== 'stopped') throw new Error('It was not stopped')
    expect(refusedToast(outcome.failure, outcome.wasNew, i18n.t)).toEqual({
      title: 'Sign in again to go on',
      description: 'Nothing is lost: your listing is kept in this browser and goes on from where it was.',
      tone: 'destructive',
    })
    server.fail(() => 'none')
    expect(await run()).toMatchObject({ kind: 'done', failures: [] })
    expectAllOnce()
  })
})

const mishaps = ['request lost', 'answer lost', 'turned away'] as const
const places = Array.from({ length: callsAtBest }, (_, place) => place + 1)
const table = places.flatMap((place) => mishaps.map((mishap) => [place, mishap] as const))

describe('a connection that breaks', () => {
  it.each(table)('once, at call %i (%s), is not even noticed', async (place, mishap) => {
    server.fail(({ number }) => (number === place ? mishap : 'none'))
    expect(await run()).toMatchObject({ kind: 'done', failures: [] })
    expectAllOnce()
    expect(told.filter((each) => each.endsWith('retrying'))).toHaveLength(1)
  })

  it.each(table)('from call %i on (%s) loses nothing and repeats nothing', async (place, mishap) => {
    server.fail(({ number }) => (number >= place ? mishap : 'none'))
    const first = await run()
    expect(first.kind === 'stopped' || first.failures.length > 0).toBe(true)
    server.fail(() => 'none')
    expect(await run()).toMatchObject({ kind: 'done', productId: 101, failures: [] })
    expectAllOnce()
  })

  it.each(mishaps)('at every third call (%s) only takes longer', async (mishap) => {
    server.fail(({ number }): Mishap => (number % 3 === 1 ? mishap : 'none'))
    expect(await run()).toMatchObject({ kind: 'done', failures: [] })
    expectAllOnce()
  })
})

describe('a page that is closed', () => {
  it.each(places)('after call %i goes on where it was', async (place) => {
    const never = new Promise<never>(() => {})
    let reached: () => void = () => {}
    const stopped = new Promise<void>((resolve) => {
      reached = resolve
    })
    // The call is done, and its answer comes to nobody.
    server.fail(({ number }) => (number === place ? 'answer lost' : 'none'))
    void publish(plan, progress, {
      tell: (_, { status }) => {
        if (status === 'retrying') reached()
      },
      save: (next) => {
        progress = next
      },
      wait: () => never,
    })
    await stopped
    server.fail(() => 'none')
    expect(await run()).toMatchObject({ kind: 'done', productId: 101 })
    expectAllOnce()
  })
})

describe('a picture that fails', () => {
  it.each([
    [sellingRoutes.registerImage, 'register'],
    [sellingRoutes.uploadImage, 'upload'],
  ] as const)('does not hold up the listing, and can be sent alone', async (route, stage) => {
    const isOf = (name: string) => (each: { body: unknown; url: URL }) =>
      stage === 'register'
        ? (each.body as { imageUrl: string }).imageUrl === name
        : each.url.pathname.includes(
            String([...server.held.values()][0]?.images.find(({ imageUrl }) => imageUrl === name)?.id),
          )
    server.fail((each) =>
      each.route === route && ['picture-2', 'picture-4'].some((name) => isOf(name)(each)) ? 'turned away' : 'none',
    )
    const first = await run()
    expect(first).toMatchObject({
      kind: 'done',
      failures: [
        { step: { key: 'picture-2', number: 2 }, stage, error: { code: 'unavailable' } },
        { step: { key: 'picture-4', number: 4 }, stage },
      ],
    })
    server.fail(() => 'none')
    expect(await run({}, 'picture-4')).toMatchObject({ kind: 'done', failures: [], missingCount: 1 })
    expect(stepsOf(plan, progress).map(({ key }) => key)).toEqual(['picture-2'])
    expect(await run()).toMatchObject({ failures: [], missingCount: 0 })
    expectAllOnce()
  })

  it('is not tried again at once when it is refused', async () => {
    api.answer(sellingRoutes.registerImage, () => refusal('images-full'))
    expect(await run()).toMatchObject({ kind: 'done', failures: keys.map((key) => ({ step: { key } })) })
    expect(api.countOf(sellingRoutes.registerImage)).toBe(keys.length)
  })

  it('is announced again when that was too long ago', async () => {
    server.fail(({ route }) => (route === sellingRoutes.uploadImage ? 'turned away' : 'none'))
    await run()
    for (const held of server.held.values()) held.images = []
    server.fail(() => 'none')
    expect(await run()).toMatchObject({ kind: 'done', failures: [] })
    expectAllOnce()
  })
})

describe('a refusal', () => {
  it('of the product stops the listing before anything is made', async () => {
    api.answer(sellingRoutes.createProduct, () => refusal('rate-limited'))
    const outcome = await run()
    expect(outcome).toMatchObject({ kind: 'stopped', wasNew: true, failure: { step: { kind: 'product' } } })
    expect(server.calls).toEqual([])
  })

  it('of the auction keeps the product, and lets its terms and its words be changed', async () => {
    let isRefused = true
    const { createAuction } = auctionRoutes
    server.fail(({ route }) => (route === createAuction && isRefused ? 'turned away' : 'none'))
    expect(await run()).toMatchObject({ kind: 'stopped', wasNew: true, failure: { step: { kind: 'auction' } } })
    isRefused = false
    const listing: Listing = {
      product: { ...product, name: 'Oud Wood Intense', price: 60 },
      auction: { ...terms, startingPrice: 60 },
    }
    expect(await run({ listing })).toMatchObject({ kind: 'done', productId: 101 })
    expect(server.callsOf(sellingRoutes.updateProduct).map(({ body }) => body)).toEqual([
      { name: 'Oud Wood Intense', price: 60, sellerId: 3 },
    ])
    expect([...server.held.values()]).toMatchObject([
      { product: { name: 'Oud Wood Intense' }, auction: { startingPrice: 60 } },
    ])
  })

  it('of a product that was deleted meanwhile lets the next try make another one', async () => {
    server.fail(({ route }) => (route === auctionRoutes.createAuction ? 'turned away' : 'none'))
    await run()
    server.held.clear()
    server.fail(() => 'none')
    const listing = { ...plan.listing, product: { ...product, name: 'Oud Wood Intense' } }
    expect(await run({ listing })).toMatchObject({ kind: 'stopped', failure: { error: { code: 'product-not-found' } } })
    expect(await run({ listing })).toMatchObject({ kind: 'done', failures: [] })
    expect(server.held.size).toBe(1)
  })

  it.each([
    ['its auction', {}],
    ['a picture of it', { pictures: [...pictures].reverse().slice(1) }],
  ])('of %s does so, too, when nothing of the product is changed', async (_, changes) => {
    server.fail(({ route }) => (route === auctionRoutes.createAuction ? 'turned away' : 'none'))
    await run()
    server.held.clear()
    server.fail(() => 'none')
    expect(await run(changes)).toMatchObject({ kind: 'stopped', isGone: true })
    expect(await run(changes)).toMatchObject({ kind: 'done', failures: [] })
    expect(server.held.size).toBe(1)
  })

  it('of a product that was there before makes no other one', async () => {
    const before = { ...noProgress(() => requestKey), productId: 7, savedProduct: product }
    progress = before
    const relisted = { makesProduct: false, pictures: [] }
    expect(await run(relisted)).toMatchObject({ kind: 'stopped', isGone: false })
    expect(progress).toEqual(before)
  })
})

describe('a form that changed after an answer was lost', () => {
  it('makes no second product, and brings the first one up to date', async () => {
    server.fail(() => 'answer lost')
    expect(await run()).toMatchObject({ kind: 'stopped' })
    server.fail(() => 'none')
    const listing = { ...plan.listing, product: { ...product, volume: 50 } }
    expect(await run({ listing })).toMatchObject({ kind: 'done' })
    expect([...server.held.values()].map((held) => held.product.volume)).toEqual([50])
  })

  it('opens no second auction, and brings the first one up to date', async () => {
    server.fail(({ route }) => (route === auctionRoutes.createAuction ? 'answer lost' : 'none'))
    expect(await run()).toMatchObject({ kind: 'stopped' })
    const listing = { ...plan.listing, auction: { ...terms, bidIncrement: 5 } }
    server.fail(() => 'none')
    expect(await run({ listing })).toMatchObject({ kind: 'done' })
    expect(server.callsOf(auctionRoutes.reviseAuction)).toHaveLength(1)
    expect([...server.held.values()][0]?.auction).toMatchObject({ bidIncrement: 5 })
  })

  it('takes a picture off that it has no more, and puts the others in their new order', async () => {
    server.fail(({ route }) => (route === auctionRoutes.createAuction ? 'turned away' : 'none'))
    await run()
    server.fail(() => 'none')
    expect(await run({ pictures: withMoved(pictures.slice(0, 4), 3, 0) })).toMatchObject({ kind: 'done', failures: [] })
    expectAllOnce(['picture-4', 'picture-1', 'picture-2', 'picture-3'])
  })
})

describe('an auction that somebody else holds', () => {
  it('is not taken for ours', async () => {
    const productId = server.add({}, { status: 'ended' })
    const held = server.held.get(productId)
    progress = { ...progress, productId, savedProduct: product }
    api.answer(auctionRoutes.createAuction, () => refusal('auction-exists'))
    expect(await run({ pictures: [] })).toMatchObject({ kind: 'stopped', failure: { error: { status: 503 } } })
    expect(held?.auction?.status).toBe('ended')
  })
})

describe('a change', () => {
  const images = [
    { id: 11, imageUrl: 'first-one', imageOrder: 0 },
    { id: 12, imageUrl: 'second-one', imageOrder: 1 },
    { id: 13, imageUrl: 'third-one', imageOrder: 2 },
  ]
  function edit(isFrozen = false): Partial<Plan> {
    const productId = server.add({ images }, {})
    const held = server.held.get(productId)
    if (!held?.auction) throw new Error('it was added')
    const savedProduct = savedProductOf({ ...held.product, images })
    progress = {
      ...progress,
      productId,
      savedProduct,
      auctionId: held.auction.id,
      savedAuction: savedAuctionOf(held.auction),
    }
    return {
      listing: { product: savedProduct, auction: progress.savedAuction },
      pictures: keptPictures(images),
      knownImageIds: images.map(({ id }) => id),
      picturesFirst: false,
      isFrozen,
    }
  }

  it('of nothing sends nothing', async () => {
    expect(await run(edit())).toMatchObject({ kind: 'done', failures: [] })
    expect(server.calls).toEqual([])
  })

  it('sends the product, then the auction, then the pictures, and only what differs', async () => {
    const before = edit()
    const { listing } = before as Plan
    const fresh = pictures[0] as ListingPicture
    const [first, , third] = keptPictures(images) as [ListingPicture, ListingPicture, ListingPicture]
    const outcome = await run({
      ...before,
      listing: {
        product: { ...listing.product, volume: 50 },
        auction: listing.auction && { ...listing.auction, bidIncrement: 5.5 },
      },
      pictures: [third, fresh, first],
    })
    expect(outcome).toMatchObject({ kind: 'done', failures: [] })
    expect(server.calls.map(({ route }) => route)).toEqual([
      sellingRoutes.updateProduct,
      auctionRoutes.reviseAuction,
      sellingRoutes.deleteImage,
      sellingRoutes.registerImage,
      sellingRoutes.uploadImage,
      sellingRoutes.orderImages,
    ])
    const [update, revision] = server.calls
    expect(update?.body).toEqual({ volume: 50, sellerId: 3 })
    expect(revision?.body).toMatchObject({ auction: { bidIncrement: 5.5 }, product: { volume: 50 }, sellerId: 3 })
    // It is told with the product when it is changed; otherwise the server knows better.
    expect(revision?.body).not.toHaveProperty('product.stockQuantity')
    const [held] = server.held.values()
    expect(held && server.imagesOf(held).map(({ imageUrl }) => imageUrl)).toEqual([
      'third-one',
      'picture-1',
      'first-one',
    ])
  })

  it('of a listing with bids sends its description and nothing else', async () => {
    const before = edit(true)
    const { listing } = before as Plan
    const description = `${product.description}\n\nThe cap has a scratch.`
    await run({ ...before, listing: { product: { ...listing.product, description, price: 70 }, auction: null } })
    expect(server.calls.map(({ body }) => body)).toEqual([{ description, sellerId: 3 }])
  })
})
