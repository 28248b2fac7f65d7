import { z } from 'zod'
import { FAVORITES_MAX, Product, Review } from './catalogue.ts'
import { PublicPerson } from './identity.ts'
import { Id, IdParam, ProductId, UserId } from './ids.ts'
import { route } from './route.ts'
import { Instant } from './time.ts'

/** So many delivered orders and such an average rating earn the verified badge, beside what else it asks for. */
export const BADGE_ORDERS_MIN = 5
export const BADGE_RATING_MIN = 4.5

export const VOICES_MAX = 3

/** What somebody said of a shop, where it is shown as what people say of the whole place. */
export const Voice = Review.extend({ seller: z.object({ id: UserId, shopName: z.string() }) }).meta({ id: 'Voice' })
export type Voice = z.infer<typeof Voice>

/** What the verified badge stands for; each is a fact that we know, not a promise of the seller. */
export const badgeCriteria = [
  /** The e-mail address is confirmed. */
  'identity-verified',
  'delivered-orders',
  'rating',
  /** Not suspended. */
  'community-guidelines',
  /** Has confirmed a payment of a buyer. */
  'payment-methods',
] as const

/** Somebody as everybody may see them. */
export const Seller = PublicPerson.extend({
  id: UserId,
  isSeller: z.boolean(),
  /** Has the badge: all criteria are met. */
  isVerified: z.boolean(),
  badge: z.array(
    z.object({
      criterion: z.enum(badgeCriteria),
      isMet: z.boolean(),
      /** What was counted, where something is: delivered orders, the average rating. */
      measured: z.number().nullable(),
    }),
  ),
  createdAt: Instant,
  averageRating: z.number().min(0).max(5).nullable(),
  reviewCount: z.int().min(0),
  /** As many as there are with the status `active`, which may be out of stock. */
  productCount: z.int().min(0),
  soldCount: z.int().min(0),
}).meta({ id: 'Seller' })
export type Seller = z.infer<typeof Seller>

export const SellerProductSort = z.enum(['popular', 'rating', 'price-asc', 'price-desc'])
export type SellerProductSort = z.infer<typeof SellerProductSort>
export const SellerProductStatus = z.enum(['featured', 'active', 'sold'])
export type SellerProductStatus = z.infer<typeof SellerProductStatus>
/** Products on a page of a shop. */
export const SELLER_PAGE_PRODUCTS = 12

export const SellerProducts = z
  .object({
    products: z.array(Product),
    pagination: z.object({
      page: z.int().positive(),
      limit: z.int().positive(),
      totalProducts: z.int().min(0),
      totalPages: z.int().min(0),
    }),
  })
  .meta({ id: 'SellerProducts' })
export type SellerProducts = z.infer<typeof SellerProducts>

/** Shops, and what people keep for later. */
export const shopRoutes = {
  getSeller: route({
    method: 'GET',
    path: '/api/sellers/:sellerId',
    access: 'public',
    summary: 'What everybody may know of somebody',
    params: z.object({ sellerId: IdParam }),
    answers: { 200: Seller },
    refusals: ['seller-not-found'],
  }),
  listSellerProducts: route({
    method: 'GET',
    path: '/api/sellers/:sellerId/products',
    access: 'public',
    summary: 'A page of what somebody sells or has sold; active ones include those that are featured',
    params: z.object({ sellerId: IdParam }),
    query: z.object({
      status: SellerProductStatus.default('active'),
      sort: SellerProductSort.default('popular'),
      page: z.coerce.number().int().min(1).max(10_000).default(1),
      limit: z.coerce.number().int().min(1).max(100).default(SELLER_PAGE_PRODUCTS),
    }),
    answers: { 200: SellerProducts },
    refusals: ['seller-not-found'],
  }),
  listSellerReviews: route({
    method: 'GET',
    path: '/api/sellers/:sellerId/reviews',
    access: 'public',
    summary: 'What buyers said of somebody, the newest first',
    params: z.object({ sellerId: IdParam }),
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
    }),
    answers: {
      200: z.object({
        averageRating: z.number().min(0).max(5).nullable(),
        reviewCount: z.int().min(0),
        reviews: z.array(Review),
      }),
    },
    refusals: ['seller-not-found'],
  }),
  listVoices: route({
    method: 'GET',
    path: '/api/reviews/voices',
    access: 'public',
    summary: 'The newest reviews of 4 stars and more with 40 letters and more, each with the shop that it is about',
    answers: { 200: z.array(Voice).max(VOICES_MAX) },
  }),
  listFavorites: route({
    method: 'GET',
    path: '/api/favorites',
    access: 'signed-in',
    summary: 'The products that the caller keeps, the last one first; those that cannot be seen any more are left out',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).optional(),
      cursor: z.string().max(200).optional(),
    }),
    answers: { 200: z.array(Product) },
  }),
  listFavoriteIds: route({
    method: 'GET',
    path: '/api/favorites/ids',
    access: 'signed-in',
    summary: 'The ids of the products that the caller keeps, the last one first',
    answers: { 200: z.array(ProductId) },
  }),
  /** In the order of the list. Those that are there already, or that nobody can see, are passed over; so is what is beyond {@link FAVORITES_MAX}. */
  mergeFavorites: route({
    method: 'POST',
    path: '/api/favorites/merge',
    access: 'signed-in',
    summary: 'Adds what a guest kept in the browser',
    body: z.object({ productIds: z.array(ProductId).max(FAVORITES_MAX) }),
    answers: { 200: z.array(ProductId) },
  }),
  addFavorite: route({
    method: 'PUT',
    path: '/api/favorites/:productId',
    access: 'signed-in',
    summary: 'Keeps a product',
    params: z.object({ productId: IdParam }),
    answers: { 204: z.void() },
    refusals: ['product-not-found', 'favorites-full'],
  }),
  removeFavorite: route({
    method: 'DELETE',
    path: '/api/favorites/:productId',
    access: 'signed-in',
    summary: 'Keeps a product no longer',
    params: z.object({ productId: IdParam }),
    answers: { 204: z.void() },
  }),
} as const

/** So many ids, from one multiple to the next, are a page of {@link shopRequests.listShown}. */
export const SHOWN_PER_PAGE = 5000

/** What catalogue answers over the bus about shops, for pages and search engines. */
export const shopRequests = {
  /** Somebody as everybody sees them; `null` for who is not to be seen. */
  getShop: {
    name: 'get-shop',
    body: z.object({ sellerId: UserId }),
    answer: z.object({ seller: Seller.nullable() }),
  },
  /** What everybody may see, products or shops that have something to sell, with when it changed; pages count from 1. */
  listShown: {
    name: 'list-shown',
    body: z.object({ kind: z.enum(['products', 'shops']), page: z.int().positive() }),
    answer: z.object({
      pageCount: z.int().min(0),
      entries: z.array(z.object({ id: Id, changedAt: Instant.nullable() })).max(SHOWN_PER_PAGE),
    }),
  },
} as const
