import { ListingType, ProductImage } from '@wangian/contracts/catalogue.ts'
import type { catalogueEvents } from '@wangian/contracts/events/catalogue.ts'
import type { StoredData } from '@wangian/contracts/events/definition.ts'
import { type Executor, NoRow, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'
import { z } from 'zod'
import { isThere } from '../store.ts'

/** Who has a bottle of which listing. Instants are ISO 8601. */

type Facts<Type extends keyof typeof catalogueEvents> = StoredData<(typeof catalogueEvents)[Type]>

interface Holder {
  readonly transactionId: number | null
  readonly auctionId: number | null
}

/** A lot keeps its row, whichever deal has it. */
function bottleId({ transactionId, auctionId }: Holder): string {
  return auctionId === null ? `deal-${transactionId}` : `lot-${auctionId}`
}

export async function reserveBottles(
  transaction: Transaction,
  bottles: readonly Facts<'ListingReserved'>[],
): Promise<void> {
  const rows = bottles.map((bottle) => ({ ...bottle, id: bottleId(bottle) }))
  await transaction.query(sql.prepared('reserve-bottles', NoRow)`
    insert into bottles (id, product_id, transaction_id, auction_id, buyer_id, amount_sen, state, reserved_at)
    select id, "productId", "transactionId", "auctionId", "buyerId", "amountSen", 'reserved', "reservedAt"
      from jsonb_to_recordset(${JSON.stringify(lastOfEach(rows, ({ id }) => id))}::jsonb)
             as bottle (id text, "productId" bigint, "transactionId" bigint, "auctionId" bigint, "buyerId" bigint,
                        "amountSen" bigint, "reservedAt" timestamptz)
     order by id
    on conflict (id) do update set transaction_id = excluded.transaction_id, reserved_at = excluded.reserved_at`)
  await saveStandings(
    transaction,
    bottles.map(({ productId }) => productId),
  )
}

export async function releaseBottle(transaction: Transaction, bottle: Facts<'ListingReleased'>): Promise<void> {
  const id = bottleId(bottle)
  await transaction.query(
    bottle.isKept
      ? sql.unsafe`update bottles set transaction_id = null, reserved_at = ${bottle.releasedAt} where id = ${id}`
      : sql.unsafe`delete from bottles where id = ${id}`,
  )
  if (bottle.auctionId !== null && !bottle.isKept) {
    await transaction.query(sql.unsafe`
      insert into released_lots (auction_id) values (${bottle.auctionId}) on conflict do nothing`)
  }
  await saveStock(transaction, bottle)
}

const ReleasedRow = z.object({ isReleased: z.boolean() })

/** Whether the sale of what was won at this auction did not come about. */
export async function isReleasedLot(executor: Executor, auctionId: number): Promise<boolean> {
  return executor.oneFirst(sql.type(ReleasedRow)`
    select exists (select from released_lots where auction_id = ${auctionId}) as "isReleased"`)
}

export async function sellBottle(transaction: Transaction, bottle: Facts<'ListingSold'>): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into bottles (id, product_id, transaction_id, auction_id, buyer_id, amount_sen, state, reserved_at)
    values (${bottleId(bottle)}, ${bottle.productId}, ${bottle.transactionId}, ${bottle.auctionId}, ${bottle.buyerId},
            ${bottle.amountSen}, 'sold', ${bottle.soldAt})
    on conflict (id) do update
       set transaction_id = excluded.transaction_id, amount_sen = excluded.amount_sen, state = 'sold'`)
  await saveStock(transaction, bottle)
}

/** Their auctions have ended without a winner. */
export async function releaseLots(transaction: Transaction, productIds: readonly number[]): Promise<void> {
  await transaction.query(sql.unsafe`
    delete from bottles
     where product_id = any (${sql.array([...productIds], 'int8')}) and auction_id is not null and state = 'reserved'`)
  await saveStandings(transaction, productIds)
}

async function saveStock(
  transaction: Transaction,
  { productId, stockQuantity }: { readonly productId: number; readonly stockQuantity: number },
): Promise<void> {
  await transaction.query(sql.unsafe`update products set stock_quantity = ${stockQuantity} where id = ${productId}`)
  await saveStandings(transaction, [productId])
}

/** How many bottles are kept, and what that makes of each listing (`standingOf`); what was taken away stays so. */
export async function saveStandings(transaction: Transaction, productIds: readonly number[]): Promise<void> {
  await transaction.query(sql.prepared('save-standings', NoRow)`
    update products p
       set reserved_quantity = s.reserved_quantity, status = s.status
      from (select known.id, reserved.count as reserved_quantity,
                   case when known.deleted_at is not null then known.status
                        when has_lot or reserved.count > 0 and reserved.count >= known.stock_quantity then 'pending'
                        when known.stock_quantity = 0 and has_sold then 'sold'
                        else 'active' end as status
              from products known,
                   lateral (select count(*) filter (where state = 'reserved') as count,
                                   coalesce(bool_or(state = 'reserved' and auction_id is not null), false) as has_lot,
                                   coalesce(bool_or(state = 'sold'), false) as has_sold
                              from bottles where product_id = known.id) reserved
             where known.id = any (${sql.array([...productIds], 'int8')})) s
     where p.id = s.id and (p.reserved_quantity, p.status) is distinct from (s.reserved_quantity, s.status)`)
}

/** Whether a deal has its bottle, paid or not. */
export function hasBottle(executor: Executor, transactionId: number): Promise<boolean> {
  return executor.exists(sql.unsafe`select from bottles where transaction_id = ${transactionId}`)
}

/** Whether whoever has won a lot was banned or has left. */
export function isBuyerGone(executor: Executor, auctionId: number): Promise<boolean> {
  return executor.exists(sql.unsafe`
    select from bottles b join known_people k on k.user_id = b.buyer_id
     where b.id = ${bottleId({ transactionId: null, auctionId })} and (k.is_banned or k.is_closed)`)
}

const DealTermsRow = z.object({
  productId: z.number(),
  sellerId: z.number(),
  name: z.string(),
  imageUrl: z.string().nullable(),
  images: z.array(ProductImage),
  listingType: ListingType,
  priceSen: z.number(),
  available: z.number(),
  lot: z.object({ auctionId: z.number(), winnerId: z.number(), amountSen: z.number() }).nullable(),
})

/** Of what everybody may see. */
export function findDealTerms(executor: Executor, productId: number): Promise<z.infer<typeof DealTermsRow> | null> {
  return executor.maybeOne(sql.type(DealTermsRow)`
    select p.id as "productId", p.seller_id as "sellerId", p.name, p.image_url as "imageUrl", p.images,
           p.listing_type as "listingType", p.price_sen as "priceSen", p.stock_quantity - p.reserved_quantity as available,
           (select jsonb_build_object('auctionId', auction_id, 'winnerId', buyer_id, 'amountSen', amount_sen)
              from bottles where product_id = p.id and state = 'reserved' and auction_id is not null) as lot
      from products p
     where p.id = ${productId} and ${isThere}`)
}

const UnconfirmedRow = z.object({
  productId: z.number(),
  transactionId: z.number(),
  buyerId: z.number(),
  amountSen: z.number(),
})
export type Unconfirmed = z.infer<typeof UnconfirmedRow>

/** Bottles that have been kept for so long, by this process's clock, for deals whose purchase nobody has told of. */
export function listUnconfirmed(
  executor: Executor,
  reservedBefore: string,
  limit: number,
): Promise<readonly Unconfirmed[]> {
  return executor.any(sql.type(UnconfirmedRow)`
    select product_id as "productId", transaction_id as "transactionId", buyer_id as "buyerId", amount_sen as "amountSen"
      from bottles b
     where state = 'reserved' and transaction_id is not null and reserved_at < ${reservedBefore}
       and not exists (select from confirmed_deals c where c.transaction_id = b.transaction_id)
     order by reserved_at
     limit ${limit}`)
}

export async function saveConfirmedDeals(executor: Executor, transactionIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    insert into confirmed_deals (transaction_id)
    select distinct unnest(${sql.array([...transactionIds], 'int8')}) order by 1
    on conflict do nothing`)
}
