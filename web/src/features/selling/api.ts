import { auctionRoutes } from '@wangian/contracts/auction.ts'
import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { useRef } from 'react'
import { useSWRConfig } from 'swr'
import { call } from '../../api/client.ts'
import type { AuctionListing } from './listing-form.ts'

/** Lists a product and opens its auction. @returns the id of the auction */
export function useCreateAuction(): (listing: AuctionListing) => Promise<number> {
  const { mutate } = useSWRConfig()
  // Kept for another try, so that a failed second step does not list the product twice.
  const productId = useRef<number | null>(null)
  return async (listing) => {
    productId.current ??= await createProduct(listing)
    const { startingPrice, reservePrice, buyNowPrice, bidIncrement, endsAt } = listing
    const auction = await call(auctionRoutes.createAuction, {
      body: { productId: productId.current, startingPrice, reservePrice, buyNowPrice, bidIncrement, endsAt },
    })
    productId.current = null
    // Every list may hold the new listing.
    void mutate((key) => Array.isArray(key) || key === 'home-auctions' || key === 'recent-listings')
    return auction.id
  }
}

async function createProduct(listing: AuctionListing): Promise<number> {
  const { name, brand, description, categoryId, volume, remainingPercentage, purchaseYear, boxCondition } = listing
  const product = await call(catalogueRoutes.createProduct, {
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
