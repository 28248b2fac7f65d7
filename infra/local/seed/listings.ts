import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { catalogueRoutes, Product, ProductImage } from '@wangian/contracts/catalogue.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { z } from 'zod'
import { inParallel } from './in-parallel.ts'
import type { People } from './people.ts'
import { type Perfume, picturePath } from './perfumes.ts'
import type { Person, Site } from './site.ts'

/** A demo perfume and what the site has of it. */
export interface Listed {
  readonly perfume: Perfume
  readonly product: Product
}

const PAGE_MAX = 500
const SEARCHES_MAX = 8
/** Of the twelve that the demo has. */
const LIVE_AUCTIONS_MIN = 6
/** The catalogue decodes two at a time. */
const PICTURES_MAX = 3

/**
 * Finds the demo perfumes among everything that is for sale, whoever else may have listed something since, and among what their sellers keep for
 * somebody, which nobody else finds.
 */
export async function findListings(
  site: Site,
  people: People,
  perfumes: readonly Perfume[],
): Promise<Map<Perfume, Product>> {
  const Products = z.array(Product)
  const newest = await site.get(`${catalogueRoutes.listProducts.path}?limit=${PAGE_MAX}`, Products)
  const found = new Map<Perfume, Product>()
  const note = (perfume: Perfume, products: readonly Product[]) => {
    const product = products.find((candidate) => isSame(perfume, candidate))
    if (product !== undefined) found.set(perfume, product)
  }
  for (const perfume of perfumes) note(perfume, newest)
  const missing = () => perfumes.filter((perfume) => !found.has(perfume))
  if (newest.length === PAGE_MAX) {
    await inParallel(SEARCHES_MAX, missing(), async (perfume) => {
      const path = `${catalogueRoutes.listProducts.path}?limit=${PAGE_MAX}&search=${encodeURIComponent(perfume.name)}`
      note(perfume, await site.get(path, Products))
    })
  }
  await inParallel(SEARCHES_MAX, [...Map.groupBy(missing(), ({ seller }) => seller)], async ([seller, theirs]) => {
    const person = await people.find(seller)
    if (person === null) return
    const path = `${sellingRoutes.listOwnProducts.path}?sellerId=${person.userId}&status=pending&limit=${PAGE_MAX}`
    const kept = await person.get(path, Products)
    for (const perfume of theirs) note(perfume, kept)
  })
  return found
}

/**
 * What was won stays its winner's; of what is sold or kept for somebody, only so much is listed again as the demo needs for its auctions.
 * @returns what was found without what is to be listed again
 */
export function withoutOverdue(found: ReadonlyMap<Perfume, Product>): Map<Perfume, Product> {
  const auctioned = [...found].filter(([perfume]) => perfume.auction !== undefined)
  const gone = auctioned.filter(([, { status }]) => status === 'pending' || status === 'sold')
  const missingCount = Math.max(0, LIVE_AUCTIONS_MIN - (auctioned.length - gone.length))
  const again = new Set(gone.slice(0, missingCount).map(([perfume]) => perfume))
  return new Map([...found].filter(([perfume]) => !again.has(perfume)))
}

/** Lists what is missing, one after the other, so that the shelf has the same order every time. */
export async function createListings(
  people: People,
  perfumes: readonly Perfume[],
  found: ReadonlyMap<Perfume, Product>,
): Promise<Listed[]> {
  const sellers = new Set(perfumes.filter((perfume) => !found.has(perfume)).map(({ seller }) => seller))
  await Promise.all([...sellers].map((seller) => people.find(seller)))
  const listed: Listed[] = []
  // The newest come first on the site, and the first of ours are to be seen first.
  for (const perfume of perfumes.toReversed()) {
    const product = found.get(perfume) ?? (await create(people, perfume))
    if (product !== null) listed.push({ perfume, product })
  }
  return listed
}

async function create(people: People, perfume: Perfume): Promise<Product | null> {
  const seller = await people.find(perfume.seller)
  if (seller === null) return null
  const form = {
    name: perfume.name,
    brand: perfume.house,
    description: perfume.description,
    price: perfume.price,
    categoryId: perfume.categoryId,
    stockQuantity: perfume.stock,
    remainingPercentage: perfume.fullnessPercent,
    purchaseYear: perfume.year,
    batchCode: perfume.batch,
    boxCondition: perfume.box,
    listingType: perfume.type,
    volume: perfume.volumeMl,
    isNew: perfume.isNew,
    sellerId: seller.userId,
  }
  return seller.post(sellingRoutes.createProduct.path, form, Product)
}

/** Uploads a picture for each listing that has none. */
export async function addPictures(people: People, listed: readonly Listed[]): Promise<void> {
  const bare = listed.filter(({ product }) => product.images.length === 0)
  await inParallel(PICTURES_MAX, bare.toReversed(), async ({ perfume, product }) => {
    const seller = await people.find(perfume.seller)
    if (seller === null) return
    await upload(seller, product.id, `${perfume.house} ${perfume.name}.webp`, await readFile(picturePath(perfume)))
  })
}

async function upload(seller: Person, productId: number, imageName: string, picture: Buffer): Promise<void> {
  const { registerImage, uploadImage } = sellingRoutes
  const image = await seller.post(
    registerImage.path,
    { productId, imageUrl: randomUUID(), imageOrder: 0, imageName, sellerId: seller.userId },
    ProductImage,
  )
  const form = new FormData()
  form.set('sellerId', String(seller.userId))
  form.set('image', new Blob([new Uint8Array(picture)], { type: 'image/webp' }), imageName)
  await seller.post(uploadImage.path.replace(':imageId', String(image.id)), form, ProductImage)
}

function isSame(perfume: Perfume, product: Product): boolean {
  return product.name === perfume.name && product.brand === perfume.house && product.seller.username === perfume.seller
}
