import { type Auction, auctionRoutes } from '@wangian/contracts/auction.ts'
import type { Product, ProductImage } from '@wangian/contracts/catalogue.ts'
import type { Route } from '@wangian/contracts/route.ts'
import { type OwnProduct, sellingRoutes } from '@wangian/contracts/selling.ts'
import { auctionPage, later, product as somePerfume } from '../../../testing/fixtures.ts'
import { type mockApi, type Received, refusal } from '../../../testing/mock-api.ts'

type Call = Received & { readonly number: number; readonly route: Route }
/** What happens to a call: nothing, or it never arrives, or it is done and nobody hears of it, or it is turned away. */
export type Mishap = 'none' | 'request lost' | 'answer lost' | 'turned away' | 'signed out'

interface Held {
  product: Product
  images: (ProductImage & { isUploaded: boolean })[]
  auction: Auction | null
}

/** What the server of selling does, as far as forms can tell, with a network that fails on demand. */
export function sellingServer(api: ReturnType<typeof mockApi>, { sellerId = 3 } = {}) {
  const held = new Map<number, Held>()
  const byKey = new Map<string, number>()
  const calls: Call[] = []
  let mishapOf: (call: Call) => Mishap = () => 'none'
  let nextId = 100

  const serve = <R extends Route>(route: R, work: (request: Received) => unknown) => {
    api.answer(route, async (request) => {
      const call = { ...request, number: calls.length + 1, route }
      calls.push(call)
      const mishap = mishapOf(call)
      if (mishap === 'request lost') throw new TypeError('the request was lost')
      if (mishap === 'turned away') return refusal('unavailable')
      if (mishap === 'signed out') return refusal('authentication-required')
      const answer = await work(request)
      if (mishap === 'answer lost') throw new TypeError('the answer was lost')
      return answer as never
    })
  }
  const idIn = (url: URL, place: number) => Number(url.pathname.split('/')[place])
  const of = (productId: number) => held.get(productId)
  const imagesOf = ({ images }: Held): ProductImage[] =>
    images
      .filter(({ isUploaded }) => isUploaded)
      .toSorted((one, other) => one.imageOrder - other.imageOrder || one.id - other.id)
      .map(({ isUploaded: _, ...image }) => image)
  const shown = (each: Held): OwnProduct => ({
    ...each.product,
    images: imagesOf(each),
    imageUrl: imagesOf(each)[0]?.imageUrl ?? each.product.imageUrl,
    favoriteCount: 0,
    reservedQuantity: 0,
    viewCount: 0,
    reservation: null,
  })

  serve(sellingRoutes.createProduct, ({ body }) => {
    const { requestKey, sellerId: _, ...facts } = body as Record<string, unknown>
    const known = byKey.get(String(requestKey))
    if (known !== undefined) return shown(of(known) as Held)
    nextId += 1
    const product = { ...somePerfume, images: [], ...facts, id: nextId, sellerId } as unknown as Product
    held.set(nextId, { product, images: [], auction: null })
    byKey.set(String(requestKey), nextId)
    return shown(of(nextId) as Held)
  })
  serve(sellingRoutes.getOwnProduct, ({ url }) => {
    const each = of(idIn(url, 4))
    return each ? shown(each) : refusal('product-not-found')
  })
  serve(sellingRoutes.updateProduct, ({ url, body }) => {
    const each = of(idIn(url, 3))
    if (!each) return refusal('product-not-found')
    const { sellerId: _, ...facts } = body as Record<string, unknown>
    each.product = { ...each.product, ...facts }
    return shown(each)
  })
  serve(sellingRoutes.registerImage, ({ body }) => {
    const { productId, imageUrl, imageOrder } = body as { productId: number; imageUrl: string; imageOrder: number }
    const each = of(productId)
    if (!each) return refusal('product-not-found')
    const known = each.images.find((image) => image.imageUrl === imageUrl)
    if (known) return { id: known.id, imageUrl, imageOrder: known.imageOrder }
    if (each.images.length >= 5) return refusal('images-full')
    nextId += 1
    each.images.push({ id: nextId, imageUrl, imageOrder, isUploaded: false })
    return { id: nextId, imageUrl, imageOrder }
  })
  serve(sellingRoutes.uploadImage, ({ url }) => {
    const imageId = idIn(url, 3)
    const image = [...held.values()].flatMap(({ images }) => images).find(({ id }) => id === imageId)
    if (!image) return refusal('not-found')
    if (image.isUploaded) return refusal('image-already-uploaded')
    image.isUploaded = true
    return { id: image.id, imageUrl: image.imageUrl, imageOrder: image.imageOrder }
  })
  serve(sellingRoutes.deleteImage, ({ url }) => {
    const each = of(idIn(url, 3))
    const imageId = idIn(url, 5)
    if (!each?.images.some(({ id }) => id === imageId)) return refusal('not-found')
    each.images = each.images.filter(({ id }) => id !== imageId)
    return new Response(null, { status: 204 })
  })
  serve(sellingRoutes.orderImages, ({ url, body }) => {
    const each = of(idIn(url, 3))
    const { imageIds } = body as { imageIds: number[] }
    if (!each || imageIds.length !== imagesOf(each).length) return refusal('conflict')
    for (const image of each.images) image.imageOrder = imageIds.indexOf(image.id)
    return imagesOf(each)
  })
  serve(auctionRoutes.createAuction, ({ body }) => {
    const { productId, ...terms } = body as { productId: number; endsAt: string }
    const each = of(productId)
    if (!each) return refusal('product-not-found')
    if (each.auction?.status === 'active') return refusal('auction-exists')
    nextId += 1
    const { bids: _, product: __, ...auction } = auctionPage(0)
    each.auction = { ...auction, ...terms, id: nextId, productId, sellerId, reservePrice: null }
    return each.auction
  })
  serve(auctionRoutes.reviseAuction, ({ url, body }) => {
    const each = [...held.values()].find(({ auction }) => auction?.id === idIn(url, 3))
    if (!each?.auction) return refusal('auction-not-found')
    each.auction = { ...each.auction, ...(body as { auction: object }).auction }
    return each.auction
  })
  serve(auctionRoutes.getAuctionOfProduct, ({ url }) => of(idIn(url, 4))?.auction ?? refusal('auction-not-found'))

  return {
    calls,
    held,
    /** The calls of a route, in their order. */
    callsOf: (route: Route) => calls.filter((each) => each.route === route),
    imagesOf,
    /** From now on; calls are numbered from 1 on. */
    fail(next: (call: Call) => Mishap) {
      calls.length = 0
      mishapOf = next
    },
    /** A product that was there before. */
    add(facts: Partial<Product>, auction: Partial<Auction> | null = null): number {
      nextId += 1
      const { bids: _, product: __, ...fresh } = auctionPage(0)
      held.set(nextId, {
        product: { ...somePerfume, ...facts, id: nextId, sellerId },
        images: (facts.images ?? []).map((image) => ({ ...image, isUploaded: true })),
        auction: auction && {
          ...fresh,
          reservePrice: null,
          endsAt: later(86_400_000),
          ...auction,
          id: nextId + 1000,
          productId: nextId,
          sellerId,
        },
      })
      return nextId
    },
  }
}
