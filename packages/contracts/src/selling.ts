import { z } from 'zod'
import {
  IMAGES_PER_PRODUCT_MAX,
  ImageName,
  NewProduct,
  Product,
  ProductChanges,
  ProductImage,
  ProductStatus,
  Repeatable,
} from './catalogue.ts'
import { Id, IdParam, ProductId, UserId } from './ids.ts'
import { Ringgit, RinggitTotal } from './money.ts'
import { imageUpload } from './pictures.ts'
import { route } from './route.ts'
import { Instant } from './time.ts'

/** How often somebody may change one listing, or the terms of one auction. */
export const CHANGES_PER_DAY_MAX = 100

/** How many own products somebody may ask for by their ids. */
export const OWN_PRODUCTS_NAMED_MAX = 100

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

/** A product as its seller sees it. */
export const OwnProduct = Product.extend({
  favoriteCount: z.int().min(0),
  viewCount: z.int().min(0),
  /** How many bottles of `stockQuantity`, which here counts all of them, are kept for somebody. */
  reservedQuantity: z.int().min(0),
  /** Who won its auction and what they owe, while it is `pending`. */
  reservation: z.object({ buyerId: UserId, username: z.string().nullable(), amount: Ringgit }).nullable(),
}).meta({ id: 'OwnProduct' })
export type OwnProduct = z.infer<typeof OwnProduct>

/** A product as the boost flow reads it. */
export const BoostableProduct = z
  .object({
    id: ProductId,
    name: z.string(),
    /** In sen; of an auction the current bid, else the starting price, as of a moment ago. */
    price: z.int().min(0),
    status: ProductStatus,
    image_url: z.string().nullable(),
    is_featured: z.boolean(),
  })
  .meta({ id: 'BoostableProduct' })
export type BoostableProduct = z.infer<typeof BoostableProduct>

/** Everything that a seller lists, counted. */
export const SellerSummary = z
  .object({
    totalProducts: z.int().min(0),
    /** Bottles in stock, over all products that are not sold or archived. */
    totalUnits: z.int().min(0),
    /** Of the prices of all products; `null` without any. */
    averagePrice: Ringgit.nullable(),
    boostedCount: z.int().min(0),
  })
  .meta({ id: 'SellerSummary' })
export type SellerSummary = z.infer<typeof SellerSummary>

/** What goes with a listing when it is deleted. */
export const DeletionEffects = z
  .object({
    favoriteCount: z.int().min(0),
    conversationCount: z.int().min(0),
    /** The rest of a paid boost, which is lost. */
    featuredUntil: Instant.nullable(),
    /** An auction that runs or is to start; with bids it keeps the listing from being deleted. */
    auction: z.object({ id: Id, bidCount: z.int().min(0), endsAt: Instant }).nullable(),
    /** Somebody has won it, or confirmed that they buy it, and is yet to pay: it cannot be deleted. */
    isReserved: z.boolean(),
  })
  .meta({ id: 'DeletionEffects' })
export type DeletionEffects = z.infer<typeof DeletionEffects>

/** How many days back figures may go. */
export const analyticsDays = [7, 30, 90] as const

const counts = {
  views: z.int().min(0),
  favorites: z.int().min(0),
  messages: z.int().min(0),
  bids: z.int().min(0),
  sales: z.int().min(0),
}

/** Figures are of so many listings, those with the most views. */
export const ANALYTICS_LISTINGS_MAX = 50

/** What happened to a seller's listings. Days are Malaysian ones. */
export const SellerAnalytics = z
  .object({
    days: z.number(),
    totals: z.object({ ...counts, revenue: RinggitTotal }),
    /** One a day, the oldest first, days without anything too. */
    series: z.array(z.object({ date: z.iso.date(), ...counts })),
    /** Those with the most views first; at most {@link ANALYTICS_LISTINGS_MAX}. */
    listings: z.array(z.object({ productId: ProductId, name: z.string(), imageUrl: z.string().nullable(), ...counts })),
    /** At most three. */
    topRated: z.array(
      z.object({
        productId: ProductId,
        name: z.string(),
        imageUrl: z.string().nullable(),
        averageRating: z.number().min(0).max(5),
        reviewCount: z.int().positive(),
      }),
    ),
  })
  .meta({ id: 'SellerAnalytics' })
export type SellerAnalytics = z.infer<typeof SellerAnalytics>

const Attention = z.object({
  views: z.int().min(0),
  /** Messages of others about it. */
  contacts: z.int().min(0),
})

/** A time in which a product was in the first places, and what it brought. */
export const BoostResult = z
  .object({
    productId: ProductId,
    name: z.string(),
    imageUrl: z.string().nullable(),
    /** It has no page any more. */
    isRemoved: z.boolean(),
    beganAt: Instant,
    /** When it was over, or is to be. */
    endsAt: Instant,
    isOver: z.boolean(),
    /** So many Malaysian days are compared: those of the boost until today with as many before them. */
    days: z.int().positive(),
    before: Attention,
    during: Attention,
  })
  .meta({ id: 'BoostResult' })
export type BoostResult = z.infer<typeof BoostResult>

/** What sellers do with their listings. */
export const sellingRoutes = {
  createProduct: route({
    method: 'POST',
    path: '/api/products',
    access: 'seller',
    summary: 'Lists a product',
    body: NewProduct,
    answers: { 201: Product },
    refusals: ['forbidden', 'rate-limited'],
  }),
  updateProduct: route({
    method: 'PUT',
    path: '/api/products/:productId',
    access: 'signed-in',
    summary: 'Changes a listing; while its auction has bids, and once it is sold, only by adding to the description',
    params: z.object({ productId: IdParam }),
    body: ProductChanges,
    answers: { 200: OwnProduct },
    refusals: [
      'forbidden',
      'product-not-found',
      'auction-has-bids',
      'product-reserved',
      'product-sold',
      'rate-limited',
      'unavailable',
    ],
  }),
  deleteProduct: route({
    method: 'DELETE',
    path: '/api/products/:productId',
    access: 'signed-in',
    summary: 'Takes a listing away, and cancels its auction while that has no bid',
    params: z.object({ productId: IdParam }),
    query: z.object({ sellerId: IdParam.optional() }),
    answers: { 204: z.void() },
    refusals: ['forbidden', 'product-not-found', 'auction-has-bids', 'product-reserved', 'unavailable'],
  }),
  /**
   * With `sellerId` full products, without it those of the boost flow: of that status or all, the featured ones first, then active, pending,
   * sold and archived ones, the newest first. Pages lead on by `Link`, and `X-Total-Count` counts them all.
   */
  listOwnProducts: route({
    method: 'GET',
    path: '/api/seller/products',
    access: 'signed-in',
    summary: 'The products of the caller',
    query: z.object({
      sellerId: IdParam.optional(),
      /** Over name and brand. */
      search: z.string().trim().max(100).optional(),
      status: z.enum(['featured', 'active', 'pending', 'sold', 'archived']).optional(),
      /** Only these. */
      productId: Repeatable.pipe(z.array(IdParam).max(OWN_PRODUCTS_NAMED_MAX)).optional(),
      limit: z.coerce.number().int().min(1).max(500).optional(),
      cursor: z.string().max(200).optional(),
    }),
    answers: { 200: z.union([z.array(OwnProduct), z.array(BoostableProduct)]) },
    refusals: ['forbidden'],
  }),
  getOwnProduct: route({
    method: 'GET',
    path: '/api/seller/products/:productId',
    access: 'signed-in',
    summary: 'One product of the caller',
    params: z.object({ productId: IdParam }),
    answers: { 200: OwnProduct },
    refusals: ['forbidden', 'product-not-found'],
  }),
  getDeletionEffects: route({
    method: 'GET',
    path: '/api/seller/products/:productId/deletion',
    access: 'signed-in',
    summary: 'What would go with a listing',
    params: z.object({ productId: IdParam }),
    answers: { 200: DeletionEffects },
    refusals: ['forbidden', 'product-not-found', 'unavailable'],
  }),
  getSummary: route({
    method: 'GET',
    path: '/api/seller/summary',
    access: 'signed-in',
    summary: 'How much the caller lists',
    answers: { 200: SellerSummary },
  }),
  listBoostResults: route({
    method: 'GET',
    path: '/api/seller/boosts',
    access: 'signed-in',
    summary: "What the caller's boosts brought, the latest first; at most 50",
    answers: { 200: z.array(BoostResult) },
  }),
  getAnalytics: route({
    method: 'GET',
    path: '/api/seller/analytics',
    access: 'signed-in',
    summary: "What happened to the caller's listings",
    query: z.object({ days: z.enum(analyticsDays.map(String) as ['7', '30', '90']).default('30') }),
    answers: { 200: SellerAnalytics },
  }),
  registerImage: route({
    method: 'POST',
    path: '/api/product-images',
    access: 'seller',
    summary: 'Announces a picture of a product; its file is uploaded next',
    body: NewProductImage,
    answers: { 201: ProductImage },
    refusals: ['forbidden', 'product-not-found', 'product-reserved', 'product-sold', 'images-full', 'conflict'],
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
      'product-not-found',
      'product-reserved',
      'product-sold',
      'image-already-uploaded',
      'auction-has-bids',
      'images-full',
      'too-large',
      'unsupported-type',
      'rate-limited',
      'unavailable',
    ],
  }),
  /** `imageIds` names all pictures of the product. */
  orderImages: route({
    method: 'PUT',
    path: '/api/products/:productId/images',
    access: 'signed-in',
    summary: 'Puts the pictures of a product into another order',
    params: z.object({ productId: IdParam }),
    body: z.object({ imageIds: z.array(Id).max(IMAGES_PER_PRODUCT_MAX), sellerId: UserId.optional() }),
    answers: { 200: z.array(ProductImage) },
    refusals: [
      'forbidden',
      'product-not-found',
      'conflict',
      'auction-has-bids',
      'product-reserved',
      'product-sold',
      'rate-limited',
      'unavailable',
    ],
  }),
  deleteImage: route({
    method: 'DELETE',
    path: '/api/products/:productId/images/:imageId',
    access: 'signed-in',
    summary: 'Takes a picture off a product',
    params: z.object({ productId: IdParam, imageId: IdParam }),
    query: z.object({ sellerId: IdParam.optional() }),
    answers: { 204: z.void() },
    refusals: [
      'forbidden',
      'not-found',
      'product-not-found',
      'auction-has-bids',
      'product-reserved',
      'product-sold',
      'rate-limited',
      'unavailable',
    ],
  }),
} as const
