import { auctionRoutes } from '@wangian/contracts/auction.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { useRef } from 'react'
import { useSWRConfig } from 'swr'
import { call, upload } from '../../api/client.ts'
import type { AuctionListing } from './listing-form.ts'

/** What became of a new listing. */
export interface CreatedAuction {
  readonly auctionId: number
  /** The pictures, counted from 1, that could not be registered or uploaded, with the reason. */
  readonly failedPictures: readonly { number: number; step: 'register' | 'upload'; error: unknown }[]
}

/** Lists a product, uploads its pictures and opens its auction. A picture that fails does not hold up the auction. */
export function useCreateAuction(): (listing: AuctionListing, pictures: readonly File[]) => Promise<CreatedAuction> {
  const { mutate } = useSWRConfig()
  // Kept for another try, so that a failed last step does not list the product twice.
  const productId = useRef<number | null>(null)
  const failed = useRef<CreatedAuction['failedPictures']>([])
  return async (listing, pictures) => {
    if (productId.current === null) {
      productId.current = await createProduct(listing)
      failed.current = await uploadPictures(productId.current, pictures)
    }
    const { startingPrice, reservePrice, buyNowPrice, bidIncrement, endsAt } = listing
    const auction = await call(auctionRoutes.createAuction, {
      body: { productId: productId.current, startingPrice, reservePrice, buyNowPrice, bidIncrement, endsAt },
    })
    productId.current = null
    // Every list may hold the new listing.
    void mutate((key) => Array.isArray(key) || key === 'home-auctions' || key === 'recent-listings')
    return { auctionId: auction.id, failedPictures: failed.current }
  }
}

async function uploadPictures(productId: number, pictures: readonly File[]): Promise<CreatedAuction['failedPictures']> {
  const failures: { number: number; step: 'register' | 'upload'; error: unknown }[] = []
  for (const [place, picture] of pictures.entries()) {
    let step: 'register' | 'upload' = 'register'
    try {
      const image = await call(sellingRoutes.registerImage, {
        body: { productId, imageUrl: crypto.randomUUID(), imageOrder: place, imageName: picture.name },
      })
      step = 'upload'
      const form = new FormData()
      form.set('image', picture)
      await upload(sellingRoutes.uploadImage, { params: { imageId: image.id } }, form)
    } catch (error) {
      failures.push({ number: place + 1, step, error })
    }
  }
  return failures
}

async function createProduct(listing: AuctionListing): Promise<number> {
  const { name, brand, description, categoryId, volume, remainingPercentage, purchaseYear, boxCondition } = listing
  const product = await call(sellingRoutes.createProduct, {
    body: {
      name,
      brand,
      description,
      categoryId,
      volume,
      remainingPercentage,
      purchaseYear,
      boxCondition,
      batchCode: listing.batchCode || null,
      imageUrl: listing.imageUrl || null,
      stockQuantity: listing.stockQuantity,
      listingType: 'auction',
      price: listing.startingPrice,
    },
  })
  return product.id
}
