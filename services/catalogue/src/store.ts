import { AuctionOutcome, BoxCondition, ListingType, ProductImage, ProductStatus } from '@wangian/contracts/catalogue.ts'
import type { auctionEvents } from '@wangian/contracts/events/auction.ts'
import type { ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import { type Executor, IdRow, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'
import { z } from 'zod'

/** Every statement of this service but those that find products (`search/search-store.ts`). Money is sen, instants are ISO 8601. */

export const ProductRow = z.object({
  id: z.number(),
  name: z.string(),
  brand: z.string(),
  description: z.string(),
  priceSen: z.number(),
  /** What lists sort it by: for an auction the current bid, else the starting price, as of a moment ago. */
  currentPriceSen: z.number(),
  /** When its auction ends, as of a moment ago; the greatest number where none runs. */
  auctionEndMs: z.number(),
  imageUrl: z.string().nullable(),
  images: z.array(ProductImage),
  /** All bottles, and how many of them are kept for somebody. */
  stockQuantity: z.number(),
  reservedQuantity: z.number(),
  categoryId: z.number(),
  category: z.string(),
  isNew: z.boolean(),
  salesCount: z.number(),
  isFeatured: z.boolean(),
  featuredUntil: z.string().nullable(),
  boostPackageId: z.number().nullable(),
  remainingPercentage: z.number(),
  batchCode: z.string().nullable(),
  purchaseYear: z.number().nullable(),
  boxCondition: BoxCondition,
  listingType: ListingType,
  volumeMl: z.number(),
  sellerId: z.number(),
  /** `null` for somebody who has deleted their account; a name made of the id while identity has not told theirs. */
  sellerName: z.string().nullable(),
  sellerProfileImage: z.string().nullable(),
  /** Banned or gone: only they themselves and administrators see their listings. */
  isSellerHidden: z.boolean(),
  status: ProductStatus,
  createdAt: z.string(),
  updatedAt: z.string(),
  averageRating: z.number().nullable(),
  reviewCount: z.number(),
  favoriteCount: z.number(),
  viewCount: z.number(),
  auction: z
    .object({
      id: z.number(),
      status: z.enum(['scheduled', 'active', 'ended', 'cancelled']),
      startsAtMs: z.number(),
      endsAtMs: z.number(),
      startingPriceSen: z.number(),
      currentBidSen: z.number().nullable(),
      bidCount: z.number(),
      outcome: AuctionOutcome.nullable(),
      winner: z.object({ id: z.number(), username: z.string().nullable() }).nullable(),
      isReleased: z.boolean(),
    })
    .nullable(),
})
export type ProductRow = z.infer<typeof ProductRow>

/** Where only `p` is at hand: Postgres looks those up in an index of the few who are. */
const isSellerHidden = sql.fragment`
  exists (select from known_people h where h.user_id = p.seller_id and (h.is_banned or h.is_closed))`

const auctionStatus = sql.fragment`
  case when closed_as is not null then closed_as
       when now() < starts_at then 'scheduled'
       when now() < ends_at then 'active'
       else 'ended' end`
const isReleased = sql.fragment`
  coalesce(outcome = 'won', false) and exists (select from released_lots r where r.auction_id = s.auction_id)`
/** The auction is the product's newest one: there is never a second one while one runs. */
const newestAuction = sql.fragment`
  from auction_summaries s
 where product_id = p.id and p.listing_type = 'auction'
 order by auction_id desc
 limit 1`

export const productColumns = sql.fragment`
  p.id, p.name, p.brand, p.description, p.price_sen as "priceSen", p.current_price_sen as "currentPriceSen",
  p.auction_end_ms as "auctionEndMs", p.image_url as "imageUrl", p.images,
  p.stock_quantity as "stockQuantity", p.reserved_quantity as "reservedQuantity", p.category_id as "categoryId", c.name as category, p.is_new as "isNew", p.sales_count as "salesCount",
  p.is_featured as "isFeatured", p.featured_until as "featuredUntil",
  p.boost_package_id as "boostPackageId",
  p.remaining_percentage as "remainingPercentage", p.batch_code as "batchCode", p.purchase_year as "purchaseYear",
  p.box_condition as "boxCondition", p.listing_type as "listingType", p.volume_ml as "volumeMl",
  p.seller_id as "sellerId",
  case when s.user_id is null then 'Seller ' || p.seller_id else s.username end as "sellerName",
  s.profile_image as "sellerProfileImage",
  coalesce(s.is_banned or s.is_closed, false) as "isSellerHidden", p.status, p.created_at as "createdAt", p.updated_at as "updatedAt",
  p.average_rating as "averageRating", p.review_count as "reviewCount", p.favorite_count as "favoriteCount",
  p.view_count as "viewCount", a.auction`

/** A text that becomes another one as soon as anything that a product shows of its auction does: see `productVersion`. */
const auctionVersion = sql.fragment`
  concat_ws(' ', s.xmin, ${auctionStatus}, ${isReleased},
            (select winner.xmin from known_people winner where winner.user_id = s.winner_id))`
/**
 * A text that becomes another one as soon as anything in a `ProductRow` does: which transactions wrote the rows that it is made of, and what of
 * it depends on the time.
 */
export const productVersion = sql.fragment`
  concat_ws(' ', p.xmin, (select seller.xmin from known_people seller where seller.user_id = p.seller_id),
            (select ${auctionVersion} ${newestAuction}))`

/** The same text, where `productTables` has looked all of it up already. */
const joinedVersion = sql.fragment`concat_ws(' ', p.xmin, s.xmin, a.version)`

export const productTables = sql.fragment`
  products p
    join categories c on c.id = p.category_id
    left join known_people s on s.user_id = p.seller_id
    left join lateral (
      select jsonb_build_object(
               'id', auction_id,
               'status', ${auctionStatus},
               'startsAtMs', (extract(epoch from starts_at) * 1000)::bigint,
               'endsAtMs', (extract(epoch from ends_at) * 1000)::bigint,
               'startingPriceSen', starting_price_sen,
               'currentBidSen', current_bid_sen,
               'bidCount', bid_count,
               'outcome', outcome,
               'winner', case when winner_id is not null then
                 jsonb_build_object('id', winner_id, 'username', (select username from known_people where user_id = winner_id)) end,
               'isReleased', ${isReleased}) as auction,
             ${auctionVersion} as version
        ${newestAuction}
    ) a on true`

const CategoryRow = z.object({ id: z.number(), name: z.string() })

export async function listCategories(executor: Executor): Promise<readonly z.infer<typeof CategoryRow>[]> {
  return executor.any(sql.prepared('categories', CategoryRow)`select id, name from categories order by id`)
}

export async function nextProductId(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(IdRow)`select nextval('product_ids') as id`)
}

const VersionedRow = ProductRow.extend({ version: z.string() })

/**
 * Products with their versions, in the order of their ids as given, without what is deleted. Lists find a page's ids first and look up only those,
 * by a prepared statement: planning the lookup anew would take longer than carrying it out.
 */
export async function findProducts(
  executor: Executor,
  productIds: readonly number[],
): Promise<readonly z.infer<typeof VersionedRow>[]> {
  const page = pageOf(productIds)
  return executor.any(sql.prepared(`products-by-id-${page.name}`, VersionedRow)`
    select ${productColumns}, ${joinedVersion} as version
      from ${page.ids} with ordinality as page (id, place)
      join ${productTables} on p.id = page.id and p.deleted_at is null
     order by page.place`)
}

/**
 * Ids as a set, and how many that is. Given any array Postgres plans for ten ids; where it gets one, a plan of its own looks cheaper, and it makes one
 * each time, which takes three times as long as to carry it out. So one id is written as one.
 */
function pageOf(productIds: readonly number[]) {
  const [only] = productIds
  if (only !== undefined && productIds.length === 1) {
    return { name: 'one', ids: sql.fragment`unnest(array[${only}::int8])` }
  }
  return { name: 'many', ids: sql.fragment`unnest(${sql.array([...productIds], 'int8')})` }
}

/** Which version of a product counts. */
export const ProductVersion = z.object({ id: z.number(), version: z.string() })
export type ProductVersion = z.infer<typeof ProductVersion>

/** The versions alone, which take a small part of what the products take. */
export function listVersions(executor: Executor, productIds: readonly number[]): Promise<readonly ProductVersion[]> {
  const page = pageOf(productIds)
  return executor.any(sql.prepared(`product-versions-${page.name}`, ProductVersion)`
    select p.id, ${productVersion} as version
      from ${page.ids} as page (id)
      join products p on p.id = page.id and p.deleted_at is null`)
}

/** A page's ids, for `findProducts`. */
export const ProductIdRow = z.object({ id: z.number() })

/** What is deleted is found by nobody. */
export async function findProduct(executor: Executor, productId: number): Promise<ProductRow | null> {
  return executor.maybeOne(sql.prepared('product-by-id', ProductRow)`
    select ${productColumns} from ${productTables} where p.id = ${productId} and p.deleted_at is null`)
}

export async function findProductOfAuction(executor: Executor, auctionId: number): Promise<ProductRow | null> {
  return executor.maybeOne(sql.type(ProductRow)`
    select ${productColumns} from ${productTables}
     where p.id = (select product_id from auction_summaries where auction_id = ${auctionId})`)
}

/** What can be looked at by everybody who has its address: what is reserved or sold, too. */
export const isThere = sql.fragment`p.status <> 'archived' and not ${isSellerHidden}`

export function canBeSeen(executor: Executor, productId: number): Promise<boolean> {
  return executor.exists(sql.unsafe`select from products p where p.id = ${productId} and ${isThere}`)
}

const publicStatuses: readonly z.infer<typeof ProductStatus>[] = ['active', 'featured', 'sold']
const publicStatusList = sql.join(publicStatuses.map(sql.literalValue), sql.fragment`, `)

/** What everybody may see in lists. */
export const isPublic = sql.fragment`p.status in (${publicStatusList}) and not ${isSellerHidden}`

/** The same of a product that was read. */
export const isPublicRow = ({ status, isSellerHidden }: Pick<ProductRow, 'status' | 'isSellerHidden'>): boolean =>
  publicStatuses.includes(status) && !isSellerHidden

const ListingRow = z.object({
  productId: z.number(),
  sellerId: z.number(),
  name: z.string(),
  brand: z.string(),
  description: z.string(),
  priceSen: z.number(),
  categoryId: z.number(),
  listingType: ListingType,
  stockQuantity: z.number(),
  remainingPercentage: z.number(),
  batchCode: z.string().nullable(),
  purchaseYear: z.number().nullable(),
  boxCondition: BoxCondition,
  volumeMl: z.number(),
  isNew: z.boolean(),
  imageUrl: z.string().nullable(),
  createdAt: z.string(),
  images: z.array(ProductImage),
  status: ProductStatus,
  isSellerHidden: z.boolean(),
})
export type ListingRow = z.infer<typeof ListingRow>

/** The listing's own facts, without what others' events say about it. */
export async function findListing(executor: Executor, productId: number): Promise<ListingRow | null> {
  return executor.maybeOne(sql.type(ListingRow)`
    select id as "productId", seller_id as "sellerId", name, brand, description, price_sen as "priceSen",
           category_id as "categoryId", listing_type as "listingType", stock_quantity as "stockQuantity",
           remaining_percentage as "remainingPercentage", batch_code as "batchCode", purchase_year as "purchaseYear",
           box_condition as "boxCondition", volume_ml as "volumeMl", is_new as "isNew", image_url as "imageUrl",
           created_at as "createdAt", images, status, ${isSellerHidden} as "isSellerHidden"
      from products p
     where id = ${productId} and deleted_at is null`)
}

export async function insertProduct(executor: Executor, facts: ListingFacts): Promise<void> {
  await executor.query(sql.unsafe`
    insert into products (id, seller_id, name, brand, description, price_sen, category_id, listing_type,
                          stock_quantity, remaining_percentage, batch_code, purchase_year, box_condition, volume_ml,
                          is_new, image_url, created_at, updated_at)
    values (${facts.productId}, ${facts.sellerId}, ${facts.name}, ${facts.brand}, ${facts.description},
            ${facts.priceSen}, ${facts.categoryId}, ${facts.listingType}, ${facts.stockQuantity},
            ${facts.remainingPercentage}, ${facts.batchCode}, ${facts.purchaseYear}, ${facts.boxCondition},
            ${facts.volumeMl}, ${facts.isNew}, ${facts.imageUrl}, ${facts.createdAt}, ${facts.createdAt})
    on conflict (id) do nothing`)
}

/** Whoever writes several rows of products has them first, in the order of ids, so that nobody waits for each other. */
export async function lockProducts(transaction: Transaction, productIds: readonly number[]): Promise<void> {
  await transaction.query(sql.unsafe`
    select from products where id = any (${sql.array([...productIds], 'int8')}) order by id for no key update`)
}

export async function setProductImages(
  executor: Executor,
  productId: number,
  images: readonly ProductImage[],
): Promise<void> {
  await executor.query(sql.unsafe`
    update products set images = ${JSON.stringify(images)}::jsonb where id = ${productId}`)
}

type AuctionFacts<Type extends keyof typeof auctionEvents> = PublishedData<(typeof auctionEvents)[Type]>

/** The newest terms win, in whatever order they come; of one millisecond, those that come last. */
export async function saveAuctionTerms(
  executor: Executor,
  auctions: readonly (Omit<AuctionFacts<'AuctionOpened'>, 'openedAt'> & { readonly termsAt: string })[],
): Promise<void> {
  const said = lastOfEach(auctions, ({ auctionId }) => auctionId)
  await executor.query(sql.unsafe`
    insert into auction_summaries as known (auction_id, product_id, starting_price_sen, starts_at, ends_at, terms_at)
    select "auctionId", "productId", "startingPriceSen", "startsAt", "endsAt", "termsAt"
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("auctionId" bigint, "productId" bigint, "startingPriceSen" bigint, "startsAt" timestamptz,
                      "endsAt" timestamptz, "termsAt" timestamptz)
     order by "auctionId"
    on conflict (auction_id) do update
       set product_id = excluded.product_id, starting_price_sen = excluded.starting_price_sen,
           starts_at = excluded.starts_at, ends_at = excluded.ends_at, terms_at = excluded.terms_at
     where known.terms_at is null or known.terms_at <= excluded.terms_at`)
}

/**
 * Of each auction the bid with the greatest seq wins, in whatever order they come. One statement for a whole batch,
 * because bids come by the thousand: 10,000 of them took 9.5 s one by one on two busy cores.
 */
export async function saveBids(
  executor: Executor,
  bids: readonly Pick<AuctionFacts<'BidPlaced'>, 'auctionId' | 'seq' | 'amountSen'>[],
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into auction_summaries as known (auction_id, bid_count, current_bid_sen)
    select distinct on (auction_id) auction_id, seq, amount_sen
      from unnest(${sql.array(
        bids.map(({ auctionId }) => auctionId),
        'int8',
      )}, ${sql.array(
        bids.map(({ seq }) => seq),
        'int4',
      )}, ${sql.array(
        bids.map(({ amountSen }) => amountSen),
        'int8',
      )}) as bid (auction_id, seq, amount_sen)
     order by auction_id, seq desc
    on conflict (auction_id) do update
       set bid_count = excluded.bid_count, current_bid_sen = excluded.current_bid_sen
     where known.bid_count < excluded.bid_count`)
}

export async function closeAuctions(
  executor: Executor,
  closedAs: 'cancelled' | 'ended',
  auctions: readonly ({ readonly auctionId: number } & Partial<
    Pick<AuctionFacts<'AuctionEnded'>, 'outcome' | 'winnerId'>
  >)[],
): Promise<void> {
  const said = lastOfEach(auctions, ({ auctionId }) => auctionId)
  await executor.query(sql.unsafe`
    insert into auction_summaries as known (auction_id, closed_as, outcome, winner_id)
    select "auctionId", ${closedAs}, outcome, "winnerId"
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("auctionId" bigint, outcome text, "winnerId" bigint)
     order by "auctionId"
    on conflict (auction_id) do update
       set closed_as = excluded.closed_as, outcome = excluded.outcome, winner_id = excluded.winner_id
     where known.closed_as is null`)
}
