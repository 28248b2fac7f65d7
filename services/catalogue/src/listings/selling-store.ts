import { ListingType, ProductImage, ProductStatus } from '@wangian/contracts/catalogue.ts'
import { CountRow, type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import type { Place } from '../search/domain/place.ts'
import { ProductRow, productColumns, productTables } from '../store.ts'

/** What sellers ask about their own listings, and the keys of their requests. */

interface RequestKey {
  readonly sellerId: number
  readonly requestKey: string
}

const ProductIdRow = z.object({ productId: z.number() })

/** The product that came of a request before. */
export async function findRequested(executor: Executor, { sellerId, requestKey }: RequestKey): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(ProductIdRow)`
    select product_id as "productId" from product_requests where seller_id = ${sellerId} and request_key = ${requestKey}`)
}

/** False when the key was used before; waits for whoever is using it just now. */
export async function saveRequest(
  transaction: Transaction,
  { sellerId, requestKey }: RequestKey,
  productId: number,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    insert into product_requests (seller_id, request_key, product_id) values (${sellerId}, ${requestKey}, ${productId})
    on conflict do nothing`)
  return rowCount === 1
}

const OwnershipRow = z.object({
  sellerId: z.number(),
  isDeleted: z.boolean(),
  listingType: ListingType,
  reservedQuantity: z.number(),
  imageUrl: z.string().nullable(),
})

/** Whose a product is; of a deleted one, too. */
export async function findOwnership(
  executor: Executor,
  productId: number,
): Promise<z.infer<typeof OwnershipRow> | null> {
  return executor.maybeOne(sql.type(OwnershipRow)`
    select seller_id as "sellerId", deleted_at is not null as "isDeleted", listing_type as "listingType",
           reserved_quantity as "reservedQuantity", image_url as "imageUrl"
      from products
     where id = ${productId}`)
}

const OwnProductRow = ProductRow.extend({
  /** What waits for the winner of its auction. */
  lot: z.object({ buyerId: z.number(), username: z.string().nullable(), amountSen: z.number() }).nullable(),
})
export type OwnProductRow = z.infer<typeof OwnProductRow>
const PlacedProductRow = OwnProductRow.extend({ place: z.number() })

const ownColumns = sql.fragment`
  ${productColumns},
  (select jsonb_build_object('buyerId', b.buyer_id, 'amountSen', b.amount_sen,
                             'username', (select username from known_people where user_id = b.buyer_id))
     from bottles b where b.product_id = p.id and b.state = 'reserved' and b.auction_id is not null) as lot`

export async function findOwnProduct(executor: Executor, productId: number): Promise<OwnProductRow | null> {
  return executor.maybeOne(sql.type(OwnProductRow)`
    select ${ownColumns} from ${productTables} where p.id = ${productId} and p.deleted_at is null`)
}

export interface OwnFilter {
  readonly sellerId: number
  /** Its words, each somewhere in the brand and the name, however these are parted. */
  readonly search: string | undefined
  readonly status: z.infer<typeof ProductStatus> | undefined
  /** Only these; `undefined` for all. */
  readonly productIds: readonly number[] | undefined
}

function matches({ sellerId, search, status, productIds }: OwnFilter) {
  const conditions = [sql.fragment`p.seller_id = ${sellerId}`, sql.fragment`p.deleted_at is null`]
  if (status === 'featured') conditions.push(sql.fragment`(p.is_featured or p.status = 'featured')`)
  else if (status !== undefined) conditions.push(sql.fragment`p.status = ${status}`)
  if (productIds !== undefined) conditions.push(sql.fragment`p.id = any(${sql.array([...productIds], 'int8')})`)
  if (search !== undefined) {
    conditions.push(sql.fragment`
      search_text(${search}) <> '' and not exists (
        select from unnest(string_to_array(search_text(${search}), ' ')) as word
         where strpos(p.full_name_key, word) = 0)`)
  }
  return sql.join(conditions, sql.fragment` and `)
}

/** The dashboard's order: those that are featured first, then by status; within a place the newest first. */
const place = sql.fragment`
  case when p.is_featured or p.status = 'featured' then 0
       else array_position(array['active', 'pending', 'sold', 'archived'], p.status) end`

interface OwnPage {
  readonly limit: number
  readonly after: Place | null
}

function page(filter: OwnFilter, { limit, after }: OwnPage) {
  const isAfter =
    after === null ? sql.fragment`true` : sql.fragment`(${place}, -p.id) > (${after.key}::float8, ${-after.id}::bigint)`
  return sql.fragment`
    page as materialized (
      select p.id, ${place} as place from products p
       where ${matches(filter)} and ${isAfter}
       order by place, p.id desc
       limit ${limit}
    )`
}

export async function listOwnProducts(
  executor: Executor,
  filter: OwnFilter,
  asked: OwnPage,
): Promise<readonly z.infer<typeof PlacedProductRow>[]> {
  return executor.any(sql.type(PlacedProductRow)`
    with ${page(filter, asked)}
    select page.place, ${ownColumns} from page join ${productTables} on p.id = page.id order by page.place, p.id desc`)
}

export async function countOwnProducts(executor: Executor, filter: OwnFilter): Promise<number> {
  return executor.oneFirst(sql.type(CountRow)`select count(*) as count from products p where ${matches(filter)}`)
}

const BoostableRow = z.object({
  id: z.number(),
  name: z.string(),
  price: z.number(),
  status: ProductStatus,
  imageUrl: z.string().nullable(),
  images: z.array(ProductImage),
  isFeatured: z.boolean(),
  place: z.number(),
})
export type BoostableRow = z.infer<typeof BoostableRow>

export async function listBoostable(
  executor: Executor,
  filter: OwnFilter,
  asked: OwnPage,
): Promise<readonly BoostableRow[]> {
  return executor.any(sql.type(BoostableRow)`
    with ${page(filter, asked)}
    select page.place, p.id, p.name, p.current_price_sen as price, p.status, p.image_url as "imageUrl", p.images, p.is_featured as "isFeatured"
      from page join products p on p.id = page.id
     order by page.place, p.id desc`)
}

const SummaryRow = z.object({
  totalProducts: z.number(),
  totalUnits: z.number(),
  averagePriceSen: z.number().nullable(),
  boostedCount: z.number(),
})

export async function findSummary(executor: Executor, sellerId: number): Promise<z.infer<typeof SummaryRow>> {
  return executor.one(sql.type(SummaryRow)`
    select count(*) as "totalProducts",
           coalesce(sum(stock_quantity) filter (where status not in ('sold', 'archived')), 0) as "totalUnits",
           round(avg(current_price_sen)) as "averagePriceSen",
           count(*) filter (where is_featured or featured_until > now()) as "boostedCount"
      from products
     where seller_id = ${sellerId} and deleted_at is null`)
}

const DeletionRow = z.object({
  favoriteCount: z.number(),
  conversationCount: z.number(),
  featuredUntil: z.string().nullable(),
})

export async function findDeletionEffects(executor: Executor, productId: number): Promise<z.infer<typeof DeletionRow>> {
  return executor.one(sql.type(DeletionRow)`
    select favorite_count as "favoriteCount", (select count(*) from product_conversations where product_id = ${productId}) as "conversationCount",
           case when featured_until > now() then featured_until end as "featuredUntil"
      from products
     where id = ${productId}`)
}

/** Two people who write about a product have one conversation about it, whoever writes. */
export async function saveConversations(
  transaction: Transaction,
  messages: readonly { readonly productId: number; readonly senderId: number; readonly receiverId: number }[],
): Promise<void> {
  const column = (values: readonly number[]) => sql.array([...values], 'int8')
  await transaction.query(sql.unsafe`
    insert into product_conversations (product_id, lower_user_id, higher_user_id)
    select distinct product_id, least(one, other), greatest(one, other)
      from unnest(${column(messages.map(({ productId }) => productId))}, ${column(messages.map(({ senderId }) => senderId))},
                  ${column(messages.map(({ receiverId }) => receiverId))}) as written (product_id, one, other)
     order by 1, 2, 3
    on conflict do nothing`)
}
