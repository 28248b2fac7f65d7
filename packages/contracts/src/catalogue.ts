import { z } from 'zod'
import type { EventOf } from './envelope.ts'
import { Id, IdParam, ProductId, UserId } from './ids.ts'
import { Ringgit, Sen } from './money.ts'
import { imageRequest, imageUpload } from './pictures.ts'
import { route } from './route.ts'
import { Instant } from './time.ts'

export const ListingType = z.enum(['fixed', 'negotiable', 'auction'])
export type ListingType = z.infer<typeof ListingType>
export const BoxCondition = z.enum(['Good', 'Damaged', 'No Box'])
export const ProductStatus = z.enum(['active', 'featured', 'pending', 'sold', 'archived'])

/** A product has at most so many pictures, numbered by `imageOrder` from 0. */
export const IMAGES_PER_PRODUCT_MAX = 5

/** The name of a picture, made up by whoever registers it (a UUID, say). `/api/images/{name}` serves it. */
export const ImageName = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, 'Please enter a valid image URL')

/** A picture given with a listing: an address elsewhere, never fetched by us, or the name of a picture here. */
const GivenImageUrl = z
  .string()
  .trim()
  .max(2048, 'Please enter a valid image URL')
  .refine((value) => value === '' || isHttpsUrl(value) || ImageName.safeParse(value).success, {
    error: 'Please enter a valid image URL',
  })
  .transform((value) => (value === '' ? null : value))

function isHttpsUrl(value: string): boolean {
  return /^https:\/\//i.test(value) && URL.canParse(value)
}

/** The categories with the ids that the product's links use. */
export const categories = [
  { id: 1, name: 'Designer' },
  { id: 2, name: 'Local' },
  { id: 3, name: 'Arabian House' },
  { id: 4, name: 'Niche' },
] as const

const ListingFacts = z.object({
  productId: ProductId,
  sellerId: UserId,
  name: z.string(),
  brand: z.string(),
  description: z.string(),
  priceSen: Sen,
  categoryId: Id,
  listingType: ListingType,
  stockQuantity: z.int().min(0),
  remainingPercentage: z.int().min(1).max(100),
  batchCode: z.string().nullable(),
  purchaseYear: z.int().nullable(),
  boxCondition: BoxCondition,
  volumeMl: z.int().positive(),
  isNew: z.boolean(),
  imageUrl: z.string().nullable(),
  createdAt: Instant,
})
export type ListingFacts = z.infer<typeof ListingFacts>

export const ProductImage = z
  .object({
    id: Id,
    imageUrl: z.string(),
    imageOrder: z
      .int()
      .min(0)
      .max(IMAGES_PER_PRODUCT_MAX - 1),
  })
  .meta({ id: 'ProductImage' })
export type ProductImage = z.infer<typeof ProductImage>

export const catalogueEvents = {
  ListingCreated: ListingFacts,
  /** The pictures of a listing as they now are, first one first; `imageUrls` are the names of `images`. */
  ListingPicturesChanged: z.object({
    productId: ProductId,
    imageUrls: z.array(z.string()).max(IMAGES_PER_PRODUCT_MAX),
    images: z.array(ProductImage).max(IMAGES_PER_PRODUCT_MAX),
  }),
} as const
export type CatalogueEvent = EventOf<typeof catalogueEvents>

export const Category = z.object({ id: Id, name: z.string() }).meta({ id: 'Category' })

/** What a card or a page says of a product's auction. */
export const AuctionSummary = z
  .object({
    id: Id,
    status: z.enum(['scheduled', 'active', 'ended', 'cancelled']),
    startsAt: Instant,
    endsAt: Instant,
    startingPrice: Ringgit,
    currentBid: Ringgit.nullable(),
    bidCount: z.int().min(0),
  })
  .meta({ id: 'AuctionSummary' })

export const Product = z
  .object({
    id: ProductId,
    name: z.string(),
    brand: z.string(),
    description: z.string(),
    price: Ringgit,
    imageUrl: z.string().nullable(),
    images: z.array(ProductImage),
    stockQuantity: z.int().min(0),
    categoryId: Id,
    category: z.string(),
    isNew: z.boolean(),
    isFeatured: z.boolean(),
    featuredUntil: Instant.nullable(),
    remainingPercentage: z.int().min(1).max(100),
    batchCode: z.string().nullable(),
    purchaseYear: z.int().nullable(),
    boxCondition: BoxCondition,
    listingType: ListingType,
    volume: z.int().positive(),
    sellerId: UserId,
    seller: z.object({
      id: UserId,
      /** `null` for somebody who has deleted their account. */
      username: z.string().nullable(),
      profileImage: z.string().nullable(),
      avatar_url: z.string().nullable(),
    }),
    status: ProductStatus,
    createdAt: Instant,
    auction: AuctionSummary.nullable(),
  })
  .meta({ id: 'Product' })
export type Product = z.infer<typeof Product>

const yearNow = () => new Date().getUTCFullYear()

/** The fields of a listing form with the spec's words for each refusal. */
export const NewProduct = z.object({
  name: z.string().trim().min(3, 'Name must be at least 3 characters').max(120),
  brand: z.string().trim().min(2, 'Brand must be at least 2 characters').max(80),
  description: z.string().trim().min(10, 'Description must be at least 10 characters').max(5000),
  price: Ringgit.refine((price) => price >= 0.01, 'Price must be greater than 0'),
  imageUrl: GivenImageUrl.nullish(),
  stockQuantity: z
    .int('Stock quantity must be 0 or greater')
    .min(0, 'Stock quantity must be 0 or greater')
    .max(100_000)
    .default(1),
  categoryId: Id.refine((id) => categories.some((category) => category.id === id), 'Please select a category'),
  remainingPercentage: z.int().min(1).max(100).default(100),
  purchaseYear: z
    .int()
    .min(1970)
    .refine((year) => year <= yearNow(), 'Purchase year cannot be in the future')
    .nullish(),
  boxCondition: BoxCondition.default('Good'),
  batchCode: z.string().trim().max(60).nullish(),
  listingType: ListingType.default('fixed'),
  volume: z
    .int('Please enter a valid volume (e.g. 50ml, 100ml)')
    .min(1, 'Please enter a valid volume (e.g. 50ml, 100ml)')
    .max(10_000)
    .default(100),
  isNew: z.boolean().default(false),
  sellerId: UserId.optional(),
})

/** Says which picture of which product is about to be uploaded. */
export const NewProductImage = z.object({
  productId: ProductId,
  imageUrl: ImageName,
  imageOrder: z
    .int()
    .min(0)
    .max(IMAGES_PER_PRODUCT_MAX - 1)
    .default(0),
  imageName: z.string().trim().max(255).nullish(),
  sellerId: UserId.optional(),
})

export const ProductSort = z.enum(['featured', 'price-asc', 'price-desc', 'newest', 'best-selling'])
export type ProductSort = z.infer<typeof ProductSort>

const BRANDS_MAX = 20
const PRICE_MAX = 9_999_999.99
const PriceBound = z.coerce.number().min(0).max(PRICE_MAX).optional()

/** What a list of products may be narrowed by. `brand` may be repeated. */
const productFilters = {
  category: IdParam.optional(),
  search: z.string().trim().max(100).optional(),
  type: ListingType.optional(),
  minPrice: PriceBound,
  maxPrice: PriceBound,
  brand: z
    .union([z.string(), z.array(z.string())])
    .transform((brands) => (typeof brands === 'string' ? [brands] : brands))
    .pipe(z.array(z.string().trim().min(1).max(80)).max(BRANDS_MAX))
    .optional(),
}

/** What the whole result holds, not the page. */
export const ProductFacets = z
  .object({
    /** The most frequent first, counted as if no brand was ticked. */
    brands: z.array(z.object({ brand: z.string(), count: z.int().positive() })),
    /** As if no price was asked for; `null` when there is nothing. */
    price: z.object({ min: Ringgit, max: Ringgit }).nullable(),
    total: z.int().min(0),
    /** The search as it was understood, when words were misspelt. */
    correctedSearch: z.string().nullable(),
  })
  .meta({ id: 'ProductFacets' })
export type ProductFacets = z.infer<typeof ProductFacets>

export const catalogueRoutes = {
  listCategories: route({
    method: 'GET',
    path: '/api/categories',
    access: 'public',
    summary: 'All categories',
    answers: { 200: z.array(Category) },
  }),
  listProducts: route({
    method: 'GET',
    path: '/api/products',
    access: 'public',
    summary:
      'Products that can be seen by everybody; without a sort the newest first, or when searching the best match',
    query: z.object({
      ...productFilters,
      sort: ProductSort.optional(),
      limit: z.coerce.number().int().min(1).max(500).optional(),
      cursor: z.string().max(200).optional(),
    }),
    answers: { 200: z.array(Product) },
  }),
  listFacets: route({
    method: 'GET',
    path: '/api/products/facets',
    access: 'public',
    summary: 'Brands with counts, the range of prices and the total of a list of products',
    query: z.object(productFilters),
    answers: { 200: ProductFacets },
  }),
  getProduct: route({
    method: 'GET',
    path: '/api/products/:productId',
    access: 'optional',
    summary: 'One product',
    params: z.object({ productId: IdParam }),
    answers: { 200: Product },
    refusals: ['product-not-found'],
  }),
  createProduct: route({
    method: 'POST',
    path: '/api/products',
    access: 'seller',
    summary: 'Lists a product',
    body: NewProduct,
    answers: { 201: Product },
    refusals: ['forbidden', 'rate-limited'],
  }),
  registerImage: route({
    method: 'POST',
    path: '/api/product-images',
    access: 'seller',
    summary: 'Announces a picture of a product; its file is uploaded next',
    body: NewProductImage,
    answers: { 201: ProductImage },
    refusals: ['forbidden', 'product-not-found', 'images-full', 'conflict'],
  }),
  /** `sellerId` may be given in the form and is then compared. */
  uploadImage: route({
    method: 'POST',
    path: '/api/product-images/:imageId/upload',
    access: 'seller',
    summary: 'Uploads the file of an announced picture, once',
    params: z.object({ imageId: IdParam }),
    upload: imageUpload,
    answers: { 200: ProductImage },
    refusals: [
      'forbidden',
      'not-found',
      'image-already-uploaded',
      'images-full',
      'too-large',
      'unsupported-type',
      'rate-limited',
      'unavailable',
    ],
  }),
  listImages: route({
    method: 'GET',
    path: '/api/product-images/:productId',
    access: 'optional',
    summary: 'The uploaded pictures of a product in their order',
    params: z.object({ productId: IdParam }),
    answers: { 200: z.array(ProductImage) },
    refusals: ['product-not-found'],
  }),
  /** `name` is an `imageUrl`. */
  getImage: route({
    method: 'GET',
    path: '/api/images/:name',
    access: 'public',
    summary: 'A picture as WebP or JPEG',
    ...imageRequest,
    answers: { 200: z.file() },
    refusals: ['not-found'],
  }),
} as const

/** What catalogue answers over the bus when another service does not know a listing yet. */
export const catalogueRequests = {
  /** The listing as the auction needs it. */
  getListing: {
    name: 'get-listing',
    body: z.object({ productId: ProductId }),
    answer: z.object({ listing: ListingFacts.extend({ imageUrls: z.array(z.string()) }).nullable() }),
  },
  /** The product as everybody sees it; `null` when there is none, or none any more. */
  getProduct: {
    name: 'get-product',
    body: z.object({ productId: ProductId }),
    answer: z.object({ product: Product.nullable() }),
  },
} as const
