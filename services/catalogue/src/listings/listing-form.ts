import type { NewProduct, ProductChanges } from '@wangian/contracts/catalogue.ts'
import type { ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import { senFromRinggit } from '@wangian/contracts/money.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { z } from 'zod'
import type { ListingChanges } from './domain.ts'

/** The form as facts: only what the contract names gets here, and who sells is what the token says. */
export function factsOf(
  form: z.infer<typeof NewProduct>,
  known: Pick<ListingFacts, 'productId' | 'sellerId' | 'createdAt'>,
): ListingFacts {
  return {
    ...known,
    name: form.name,
    brand: form.brand,
    description: form.description,
    priceSen: senOf(form.price),
    categoryId: form.categoryId,
    listingType: form.listingType,
    stockQuantity: form.stockQuantity,
    remainingPercentage: form.remainingPercentage,
    batchCode: form.batchCode || null,
    purchaseYear: form.purchaseYear ?? null,
    boxCondition: form.boxCondition,
    volumeMl: form.volume,
    isNew: form.isNew,
    imageUrl: form.imageUrl ?? null,
  }
}

/** What the form names; what it leaves out stays as it is. */
export function changesOf(form: z.infer<typeof ProductChanges>): ListingChanges {
  const { sellerId: _, price, volume, batchCode, purchaseYear, imageUrl, ...same } = form
  const fields = {
    ...same,
    priceSen: price === undefined ? undefined : senOf(price),
    volumeMl: volume,
    batchCode: batchCode === undefined ? undefined : batchCode || null,
    purchaseYear,
    imageUrl,
  }
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as ListingChanges
}

function senOf(ringgit: number): number {
  const sen = senFromRinggit(ringgit)
  if (sen === null) throw new Rejection('bad-request', 'Price must be greater than 0')
  return sen
}
