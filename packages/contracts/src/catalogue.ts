import { z } from 'zod'
import { AuctionId, Id, IdParam, ProductId, RequestKey, UserId } from './ids.ts'
import { Ringgit, ringgitFrom, Sen } from './money.ts'
import { imageRequest } from './pictures.ts'
import { route } from './route.ts'
import { isStorableText, isVisibleName, isVisibleText, unseenMessage } from './text.ts'
import { Instant } from './time.ts'
import { unlessGiven } from './unless-given.ts'
import { whenNeeded } from './when-needed.ts'

export const ListingType = z.enum(['fixed', 'negotiable', 'auction'])
export type ListingType = z.infer<typeof ListingType>
export const BoxCondition = z.enum(['Good', 'Damaged', 'No Box'])
export const ProductStatus = z.enum(['active', 'featured', 'pending', 'sold', 'archived'])

/** A product has at most so many pictures, numbered by `imageOrder` from 0. */
export const IMAGES_PER_PRODUCT_MAX = 5

/** Up to so many bottles a stock is low; above {@link MEDIUM_STOCK_MAX} it is good. */
export const LOW_STOCK_MAX = 5
export const MEDIUM_STOCK_MAX = 20
/** A listing has at most so many bottles. */
export const STOCK_MAX = 100_000

/** Boosted by a package with this id or a higher one, a product is premium. */
export const PREMIUM_PACKAGE_ID_MIN = 5

/** How many favourites a person may keep. */
export const FAVORITES_MAX = 1000

export const IMAGE_URL_MESSAGE = 'Please enter a valid image URL'

/** The name of a picture, made up by whoever registers it (a UUID, say). `/api/images/{name}` serves it. */
export const ImageName = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, IMAGE_URL_MESSAGE)

/** A picture given with a listing: an address elsewhere, never fetched by us, or the name of a picture here. */
const GivenImageUrl = z
  .string(IMAGE_URL_MESSAGE)
  .trim()
  .max(2048, IMAGE_URL_MESSAGE)
  .refine((value) => value === '' || isHttpsUrl(value) || ImageName.safeParse(value).success, {
    error: IMAGE_URL_MESSAGE,
  })
  .transform((value) => (value === '' ? null : value))

/** Browsers leave out some controls of an address, so that it would be another one than it reads. */
function isHttpsUrl(value: string): boolean {
  return /^https:\/\//i.test(value) && !/\p{Cc}/u.test(value) && URL.canParse(value)
}

/** The categories with the ids that the product's links use. */
export const categories = [
  { id: 1, name: 'Designer' },
  { id: 2, name: 'Local' },
  { id: 3, name: 'Arabian House' },
  { id: 4, name: 'Niche' },
] as const

export const ProductImage = z
  .object({
    id: Id,
    imageUrl: z.string(),
    imageOrder: z
      .int()
      .min(0)
      .max(IMAGES_PER_PRODUCT_MAX - 1),
    /** The colour that most of it has, to be shown before it is there. Pictures of an earlier time have none. */
    tint: z
      .string()
      .regex(/^#[0-9a-f]{6}$/)
      .optional(),
  })
  .meta({ id: 'ProductImage' })
export type ProductImage = z.infer<typeof ProductImage>

export const Category = z.object({ id: Id, name: z.string() }).meta({ id: 'Category' })

/** How an auction ended. `winner-unavailable`: whoever made the highest bid was banned or had left by its end. */
export const AuctionOutcome = z.enum(['won', 'no-bids', 'reserve-not-met', 'winner-unavailable'])
export type AuctionOutcome = z.infer<typeof AuctionOutcome>

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
    /** `null` until it has ended. */
    outcome: AuctionOutcome.nullable(),
    winner: z.object({ id: UserId, username: z.string().nullable() }).nullable(),
    /** Somebody has won it, and the sale did not come about. */
    isReleased: z.boolean(),
  })
  .meta({ id: 'AuctionSummary' })
export type AuctionSummary = z.infer<typeof AuctionSummary>

export const Product = z
  .object({
    id: ProductId,
    name: z.string(),
    brand: z.string(),
    description: z.string(),
    price: Ringgit,
    imageUrl: z.string().nullable(),
    images: z.array(ProductImage),
    /** Bottles that nobody has. */
    stockQuantity: z.int().min(0),
    categoryId: Id,
    category: z.string(),
    isNew: z.boolean(),
    isFeatured: z.boolean(),
    featuredUntil: Instant.nullable(),
    /** The same once more, for those who read it by this name. */
    featured_until: Instant.nullable(),
    /** What it is featured by; `null` while it is not, and when nobody paid for it. */
    boost_package_id: Id.nullable(),
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
    updatedAt: Instant,
    /** Of the reviews of this product; `null` without any. */
    averageRating: z.number().min(0).max(5).nullable(),
    reviewCount: z.int().min(0),
    auction: AuctionSummary.nullable(),
  })
  .meta({ id: 'Product' })
export type Product = z.infer<typeof Product>

export const Review = z
  .object({
    id: Id,
    rating: z.number().min(0).max(5),
    comment: z.string().nullable(),
    createdAt: Instant,
    /** Without a name for somebody who has deleted their account. */
    user: z.object({ id: UserId, username: z.string().nullable(), profileImage: z.string().nullable() }),
    /** `null` for one that was taken away: others see nothing of it any more. */
    product: z.object({ id: ProductId, name: z.string() }).nullable(),
  })
  .meta({ id: 'Review' })
export type Review = z.infer<typeof Review>

/** With a product come so many of its reviews; those of its shop are a list of their own. */
export const PRODUCT_REVIEWS_MAX = 20

/** A product with what buyers said of it, the newest first. */
export const ProductDetail = Product.extend({ reviews: z.array(Review) }).meta({ id: 'ProductDetail' })
export type ProductDetail = z.infer<typeof ProductDetail>

const malaysianYears = whenNeeded(
  () => new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: 'Asia/Kuala_Lumpur' }),
)
const yearNow = () => Number(malaysianYears().format(Date.now()))

const nameMessage = 'Name must be at least 3 characters'
const brandMessage = 'Brand must be at least 2 characters'
const descriptionMessage = 'Description must be at least 10 characters'
const categoryMessage = 'Please select a category'
const volumeMessage = 'Please enter a valid volume (e.g. 50ml, 100ml)'
const stockMessage = 'Stock quantity must be 0 or greater'

/** The fields of a listing form with the spec's words for each refusal. */
const listingFields = {
  name: z
    .string(unlessGiven(nameMessage))
    .trim()
    .min(3, nameMessage)
    .max(120)
    .refine(isVisibleName, unseenMessage('Name')),
  brand: z
    .string(unlessGiven(brandMessage))
    .trim()
    .min(2, brandMessage)
    .max(80)
    .refine(isVisibleName, unseenMessage('Brand')),
  description: z
    .string(unlessGiven(descriptionMessage))
    .trim()
    .min(10, descriptionMessage)
    .max(5000)
    .refine(isVisibleText, unseenMessage('Description')),
  price: ringgitFrom(0.01, 'Price must be greater than 0'),
  imageUrl: GivenImageUrl.nullish(),
  stockQuantity: z.int(unlessGiven(stockMessage)).min(0, stockMessage).max(STOCK_MAX),
  categoryId: z.int(categoryMessage).refine((id) => categories.some((category) => category.id === id), categoryMessage),
  remainingPercentage: z.int().min(1).max(100),
  purchaseYear: z
    .int()
    .min(1970, 'Purchase year must be 1970 or greater')
    .refine((year) => year <= yearNow(), 'Purchase year cannot be in the future')
    .nullish(),
  boxCondition: BoxCondition,
  batchCode: z.string().trim().max(60).nullish(),
  listingType: ListingType,
  volume: z.int(unlessGiven(volumeMessage)).min(1, volumeMessage).max(10_000),
  isNew: z.boolean(),
} as const

export const NewProduct = z.object({
  ...listingFields,
  stockQuantity: listingFields.stockQuantity.default(1),
  remainingPercentage: listingFields.remainingPercentage.default(100),
  boxCondition: listingFields.boxCondition.default('Good'),
  listingType: listingFields.listingType.default('fixed'),
  volume: listingFields.volume.default(100),
  isNew: listingFields.isNew.default(false),
  sellerId: UserId.optional(),
  /** Chosen by the caller: with the same one again, the product of the first time comes back and no second one is made. */
  requestKey: RequestKey.optional(),
})

/** What is left out stays as it is. The listing type may change between fixed and negotiable only. */
export const ProductChanges = z.object(listingFields).partial().extend({ sellerId: UserId.optional() })

/** `ending-soonest`: auctions that run or are to run, by their end, and then all else. */
export const ProductSort = z.enum(['featured', 'price-asc', 'price-desc', 'newest', 'best-selling', 'ending-soonest'])
export type ProductSort = z.infer<typeof ProductSort>

/** How many brands may be asked for at once. */
export const BRANDS_ASKED_MAX = 20
/** An amount in ringgit as an address has it. */
const PriceBound = z
  .string()
  .regex(/^\d{1,7}(\.\d{1,2})?$/, 'Please enter a valid amount')
  .transform(Number)
  .optional()

/** A parameter that may be repeated. */
export const Repeatable = z.union([z.string(), z.array(z.string())]).transform((given) => [given].flat())

/** How full bottles are at least that a list is narrowed to: few values, since each is counted for itself. In percent. */
export const fillBounds = [50, 80, 90] as const
export type FillBound = (typeof fillBounds)[number]

/** What a list of products may be narrowed by. `brand` and `type` may be repeated. */
const productFilters = {
  category: IdParam.optional(),
  search: z.string().trim().max(100).optional(),
  type: Repeatable.pipe(z.array(ListingType).max(ListingType.options.length)).optional(),
  minPrice: PriceBound,
  maxPrice: PriceBound,
  /** Of what is left in the bottle, in percent. */
  minRemaining: z.coerce
    .number()
    .pipe(z.literal([...fillBounds]))
    .optional(),
  brand: Repeatable.pipe(z.array(z.string().trim().min(1).max(80)).max(BRANDS_ASKED_MAX)).optional(),
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
    refusals: ['unavailable'],
  }),
  listFeatured: route({
    method: 'GET',
    path: '/api/products/featured',
    access: 'public',
    summary: 'The products that are featured now, those that were featured last coming first',
    query: z.object({ limit: z.coerce.number().int().min(1).max(50).default(20) }),
    answers: { 200: z.array(Product) },
  }),
  listLive: route({
    method: 'GET',
    path: '/api/products/live',
    access: 'public',
    summary: 'The products whose auction runs now, those that end first coming first',
    query: z.object({ limit: z.coerce.number().int().min(1).max(50).default(12) }),
    answers: { 200: z.array(Product) },
  }),
  listFacets: route({
    method: 'GET',
    path: '/api/products/facets',
    access: 'public',
    summary: 'Brands with counts, the range of prices and the total of a list of products',
    query: z.object(productFilters),
    answers: { 200: ProductFacets },
    refusals: ['unavailable'],
  }),
  getProduct: route({
    method: 'GET',
    path: '/api/products/:productId',
    access: 'optional',
    summary: 'One product',
    params: z.object({ productId: IdParam }),
    answers: { 200: ProductDetail },
    refusals: ['product-not-found'],
  }),
  /** At most once for a person, a product and a day; the owner's own views do not count. */
  recordView: route({
    method: 'POST',
    path: '/api/products/:productId/views',
    access: 'optional',
    summary: 'Says that somebody looks at a product',
    params: z.object({ productId: IdParam }),
    answers: { 204: z.void() },
    refusals: ['rate-limited'],
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
  /** `v` is whatever makes the address a new one when the product has changed, for those who keep previews. */
  getSharePicture: route({
    method: 'GET',
    path: '/api/products/:productId/share.jpg',
    access: 'public',
    summary: 'What stands for a product where its address is shared: a JPEG of 1200 by 630 pixels',
    params: z.object({ productId: IdParam }),
    query: z.object({ v: z.string().max(40).optional() }),
    answers: { 200: z.file() },
    refusals: ['product-not-found', 'unavailable'],
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

/** Featured by one command for so long at most: a year. */
const FEATURED_HOURS_MAX = 366 * 24

/** Of the reason that an administrator gives for a removal. */
export const REMOVAL_REASON_LENGTH_MAX = 500

/** One answer names so many people at most. */
export const FAVORERS_AT_ONCE_MAX = 5_000

/** What catalogue answers over the bus. */
export const catalogueRequests = {
  /** Who keeps a product as a favourite, by their ids, from after the one that is given. */
  listFavorers: {
    name: 'list-favorers',
    body: z.object({ productId: ProductId, afterId: z.int().min(0) }),
    answer: z.object({ userIds: z.array(UserId).max(FAVORERS_AT_ONCE_MAX) }),
  },
  /** What others must know of a listing before its events have reached them. */
  getListing: {
    name: 'get-listing',
    body: z.object({ productId: ProductId }),
    answer: z.object({
      listing: z
        .object({
          productId: ProductId,
          sellerId: UserId,
          name: z.string(),
          priceSen: Sen,
          listingType: ListingType,
          imageUrl: z.string().nullable(),
          imageUrls: z.array(z.string()),
          /** Missing from a catalogue of before. */
          status: ProductStatus.optional(),
        })
        .nullable(),
    }),
  },
  /**
   * Changes a listing in the name of its seller, refused as `updateProduct` refuses it. Who changes something else together with it asks first
   * what would be refused (`check`, which changes nothing), and then for the change, whose auction is not asked any more (`checked`).
   */
  changeListing: {
    name: 'change-listing',
    body: z.object({
      productId: ProductId,
      actorId: UserId,
      changes: ProductChanges,
      requestId: z.string(),
      step: z.enum(['check', 'checked']).optional(),
    }),
    answer: z.object({}),
  },
  /** What a deal about a listing rests on, as it is now; `null` when there is none, or none any more. */
  getDealTerms: {
    name: 'get-deal-terms',
    body: z.object({ productId: ProductId }),
    answer: z.object({
      terms: z
        .object({
          productId: ProductId,
          sellerId: UserId,
          name: z.string(),
          imageUrl: z.string().nullable(),
          listingType: ListingType,
          /** What is listed, and of a won lot what was bid. */
          priceSen: Sen,
          /** How many bottles nobody has. */
          available: z.int().min(0),
          /** Kept for whoever won its auction. */
          lot: z.object({ auctionId: AuctionId, winnerId: UserId, amountSen: Sen }).nullable(),
          /** An auction that runs or is to start. */
          auction: z.object({ hasBids: z.boolean(), buyNowSen: Sen.nullable() }).nullable(),
        })
        .nullable(),
    }),
  },
  /**
   * Keeps a bottle for a deal, once; the lot of a winner becomes that of their deal. A running auction without bids is withdrawn first. Refused
   * with `product-not-found`, `product-sold`, `product-reserved` (all bottles are others'), `auction-has-bids`, `deal-cancelled`, and `conflict` when
   * what was offered is no longer so.
   */
  reserveBottle: {
    name: 'reserve-bottle',
    body: z.object({
      productId: ProductId,
      transactionId: Id,
      sellerId: UserId,
      buyerId: UserId,
      amountSen: Sen,
      /** Whose lot the deal is about, `null` for none. Missing from a messaging of before, whose offers are not judged. */
      auctionId: AuctionId.nullable().optional(),
      requestId: z.string(),
    }),
    answer: z.object({}),
  },
  /**
   * Gives up on the winner of a lot, for its seller. Refused with `product-not-found`, `forbidden`, `product-sold`, and with `conflict` and the reason
   * while the winner may still pay.
   */
  releaseLot: {
    name: 'release-lot',
    body: z.object({
      productId: ProductId,
      auctionId: AuctionId,
      actorId: UserId,
      /** In the seller's words. */
      reason: z.string().nullable(),
      requestId: z.string(),
    }),
    answer: z.object({}),
  },
  /**
   * Takes a listing away, for administrators: its auction is cancelled whatever is bid, a boost ends, and whoever hears of it tells the seller the reason.
   * The asker has seen to it that the actor is an administrator. Refused with `product-not-found` when it is gone already.
   */
  removeListing: {
    name: 'remove-listing',
    body: z.object({
      productId: ProductId,
      actorId: UserId,
      reason: z.string().trim().min(1).max(REMOVAL_REASON_LENGTH_MAX).refine(isStorableText),
      requestId: z.string(),
    }),
    answer: z.object({ hasChanged: z.boolean() }),
  },
  /** The product as everybody sees it; `null` when there is none, or none any more. */
  getProduct: {
    name: 'get-product',
    body: z.object({
      productId: ProductId,
      /** One of the product's auctions, which need not be its newest, that somebody has won. */
      auctionId: AuctionId.optional(),
    }),
    answer: z.object({
      product: Product.nullable(),
      /** Of that auction: the sale of what was won did not come about. A catalogue of the version before does not say it. */
      isLotReleased: z.boolean().optional(),
    }),
  },
  /** The same for the product that an auction is of. */
  getProductOfAuction: {
    name: 'get-product-of-auction',
    body: z.object({ auctionId: AuctionId }),
    answer: z.object({ product: Product.nullable() }),
  },
  /** Features a product of somebody until then, or longer. Refused with `product-not-found` and `conflict` when it is not active. */
  featureListing: {
    name: 'feature-listing',
    body: z
      .object({
        productId: ProductId,
        packageId: Id.nullable(),
        featuredUntil: Instant.optional(),
        /** From now, or from the end of what is featured already. */
        durationHours: z.int().positive().max(FEATURED_HOURS_MAX).optional(),
        /** The same one again changes nothing. */
        commandId: RequestKey,
      })
      .refine(
        ({ featuredUntil, durationHours }) => (featuredUntil === undefined) !== (durationHours === undefined),
        'It has an end or a duration',
      ),
    answer: z.object({ featuredUntil: Instant }),
  },
} as const

/** What a deal about a listing rests on. */
export type DealTerms = NonNullable<z.infer<typeof catalogueRequests.getDealTerms.answer>['terms']>
