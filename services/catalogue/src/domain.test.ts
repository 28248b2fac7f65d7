import type { CatalogueEvent, ProductImage } from '@wangian/contracts/catalogue.ts'
import { given } from '@wangian/kit/testing/decider-spec.ts'
import { describe, expect, it } from 'vitest'
import { listingDecider, listingStream } from './domain.ts'
import { listingFacts } from './testing/fixtures.ts'

const facts = listingFacts()
const created: CatalogueEvent = { type: 'ListingCreated', data: facts }

const image = (id: number, imageOrder = 0): ProductImage => ({ id, imageUrl: `picture-${id}`, imageOrder })
const pictured = (...images: ProductImage[]): CatalogueEvent => ({
  type: 'ListingPicturesChanged',
  data: { productId: facts.productId, imageUrls: images.map(({ imageUrl }) => imageUrl), images },
})
const addPicture = (added: ProductImage, actorId = facts.sellerId) =>
  ({ type: 'AddPicture', actorId, image: added }) as const

it('names the stream by the product', () => {
  expect(listingStream(42)).toBe('listing-42')
})

describe('no listing', () => {
  it('is created with the facts of the form', () => {
    given(listingDecider, []).when({ type: 'CreateListing', facts }).then([created])
  })

  it('needs a bottle to auction', () => {
    const none = listingFacts({ listingType: 'auction', stockQuantity: 0 })
    given(listingDecider, []).when({ type: 'CreateListing', facts: none }).thenRejects('bad-request')
  })

  it('may be sold out from the start when the price is fixed', () => {
    const none = listingFacts({ stockQuantity: 0 })
    given(listingDecider, [])
      .when({ type: 'CreateListing', facts: none })
      .then([{ type: 'ListingCreated', data: none }])
  })

  it('takes no picture', () => {
    given(listingDecider, [])
      .when(addPicture(image(1)))
      .thenRejects('product-not-found')
  })
})

describe('a listing', () => {
  it('is not created twice', () => {
    given(listingDecider, [created]).when({ type: 'CreateListing', facts }).thenNothing()
  })

  it('takes pictures of its seller', () => {
    given(listingDecider, [created])
      .when(addPicture(image(1)))
      .then([pictured(image(1))])
  })

  it('takes no picture of anybody else', () => {
    given(listingDecider, [created])
      .when(addPicture(image(1), 8))
      .thenRejects('forbidden')
  })

  it('shows pictures in the order that was asked for, then in the order of their announcement', () => {
    given(listingDecider, [created, pictured(image(1, 0), image(2, 2))])
      .when(addPicture(image(3, 1)))
      .then([pictured(image(1, 0), image(3, 1), image(2, 2))])
    given(listingDecider, [created, pictured(image(1, 0), image(3, 0))])
      .when(addPicture(image(2, 0)))
      .then([pictured(image(1, 0), image(2, 0), image(3, 0))])
  })

  it('has a picture once', () => {
    given(listingDecider, [created, pictured(image(1))])
      .when(addPicture(image(1)))
      .thenNothing()
  })

  it('has five pictures at most', () => {
    const five = [1, 2, 3, 4, 5].map((id) => image(id, id - 1))
    given(listingDecider, [created, pictured(...five)])
      .when(addPicture(image(6)))
      .thenRejects('images-full')
  })
})
