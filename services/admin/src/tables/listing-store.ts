import type { catalogueEvents } from '@wangian/contracts/events/catalogue.ts'
import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import { sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'

/** What catalogue tells of listings. Each function takes what several events say, in their order. */

type Facts<Type extends keyof typeof catalogueEvents> = PublishedData<(typeof catalogueEvents)[Type]>

interface OfListing {
  readonly productId: number
}
interface Bottle extends OfListing {
  readonly transactionId: number | null
  readonly auctionId: number | null
}

/** As JSON: of each listing what was said last. */
const lastSaid = (said: readonly OfListing[]) => JSON.stringify(lastOfEach(said, ({ productId }) => productId))
const idsOf = (said: readonly OfListing[]) => sql.array([...new Set(said.map(({ productId }) => productId))], 'int8')

export async function insertListings(
  transaction: Transaction,
  listings: readonly Facts<'ListingCreated'>[],
): Promise<void> {
  const said = listings.map(({ description: _, ...facts }) => facts)
  await transaction.query(sql.unsafe`
    insert into listings (id, seller_id, name, brand, price_sen, listing_type, image_url, stock_quantity, created_at)
    select "productId", "sellerId", name, brand, "priceSen", "listingType", "imageUrl", "stockQuantity", "createdAt"
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("productId" bigint, "sellerId" bigint, name text, brand text, "priceSen" bigint, "listingType" text,
                      "imageUrl" text, "stockQuantity" integer, "createdAt" timestamptz)
     order by "productId"
    on conflict (id) do nothing`)
}

export async function updateListings(
  transaction: Transaction,
  listings: readonly Facts<'ListingUpdated'>[],
): Promise<void> {
  await transaction.query(sql.unsafe`
    update listings l
       set name = said.name, brand = said.brand, price_sen = said."priceSen", listing_type = said."listingType",
           image_url = said."imageUrl", stock_quantity = said."stockQuantity"
      from jsonb_to_recordset(${lastSaid(listings)}::jsonb)
             as said ("productId" bigint, name text, brand text, "priceSen" bigint, "listingType" text, "imageUrl" text,
                      "stockQuantity" integer)
     where l.id = said."productId"`)
  await saveStatus(transaction, listings)
}

export async function setPictures(
  transaction: Transaction,
  listings: readonly Facts<'ListingPicturesChanged'>[],
): Promise<void> {
  const said = listings.map(({ productId, images }) => ({ productId, picture: images[0]?.imageUrl ?? null }))
  await transaction.query(sql.unsafe`
    update listings l set picture = said.picture
      from jsonb_to_recordset(${lastSaid(said)}::jsonb) as said ("productId" bigint, picture text)
     where l.id = said."productId"`)
}

export async function removeListings(
  transaction: Transaction,
  listings: readonly Facts<'ListingRemoved'>[],
): Promise<void> {
  await transaction.query(sql.unsafe`
    update listings l
       set removed_at = said."removedAt", removed_by = said.by, removal_reason = said.reason, is_featured = false
      from jsonb_to_recordset(${lastSaid(listings)}::jsonb)
             as said ("productId" bigint, by text, reason text, "removedAt" timestamptz)
     where l.id = said."productId"`)
  await saveStatus(transaction, listings)
}

export async function setFeatured(
  transaction: Transaction,
  listings: readonly OfListing[],
  isFeatured: boolean,
): Promise<void> {
  await transaction.query(sql.unsafe`
    update listings set is_featured = ${isFeatured} where id = any (${idsOf(listings)})`)
  await saveStatus(transaction, listings)
}

export async function reserveBottles(transaction: Transaction, bottles: readonly Bottle[]): Promise<void> {
  await saveBottles(transaction, bottles, { isSold: false })
  await saveStatus(transaction, bottles)
}

export async function sellBottles(
  transaction: Transaction,
  bottles: readonly (Bottle & { readonly stockQuantity: number })[],
): Promise<void> {
  await saveBottles(transaction, bottles, { isSold: true })
  await saveStock(transaction, bottles)
}

export async function releaseBottles(
  transaction: Transaction,
  bottles: readonly (Bottle & { readonly stockQuantity: number; readonly isKept: boolean })[],
): Promise<void> {
  const free = bottles.filter(({ isKept }) => !isKept).map(bottleId)
  await transaction.query(sql.unsafe`delete from bottles where id = any (${sql.array(free, 'text')})`)
  await saveStock(transaction, bottles)
}

/** An auction has ended without a winner. */
export async function releaseLots(transaction: Transaction, listings: readonly OfListing[]): Promise<void> {
  await transaction.query(sql.unsafe`
    delete from bottles where product_id = any (${idsOf(listings)}) and is_lot and not is_sold`)
  await saveStatus(transaction, listings)
}

/** A lot keeps its row, whichever deal has it. */
function bottleId({ transactionId, auctionId }: Bottle): string {
  return auctionId === null ? `deal-${transactionId}` : `lot-${auctionId}`
}

async function saveBottles(
  transaction: Transaction,
  bottles: readonly Bottle[],
  { isSold }: { readonly isSold: boolean },
): Promise<void> {
  const said = bottles.map((bottle) => ({
    id: bottleId(bottle),
    productId: bottle.productId,
    isLot: bottle.auctionId !== null,
  }))
  await transaction.query(sql.unsafe`
    insert into bottles (id, product_id, is_lot, is_sold)
    select distinct id, "productId", "isLot", ${isSold}::boolean
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb) as said (id text, "productId" bigint, "isLot" boolean)
     order by id
    on conflict (id) do update set is_sold = excluded.is_sold`)
}

async function saveStock(
  transaction: Transaction,
  listings: readonly (OfListing & { readonly stockQuantity: number })[],
): Promise<void> {
  await transaction.query(sql.unsafe`
    update listings l set stock_quantity = said."stockQuantity"
      from jsonb_to_recordset(${lastSaid(listings)}::jsonb) as said ("productId" bigint, "stockQuantity" integer)
     where l.id = said."productId"`)
  await saveStatus(transaction, listings)
}

/** What catalogue makes of a listing (`standingOf` of its domain), with what is featured told apart. */
async function saveStatus(transaction: Transaction, listings: readonly OfListing[]): Promise<void> {
  await transaction.query(sql.unsafe`
    update listings l
       set status = s.status
      from (select known.id,
                   case when removed_at is not null then 'removed'
                        when has_lot or reserved > 0 and reserved >= stock_quantity then 'pending'
                        when stock_quantity = 0 and has_sold then 'sold'
                        when is_featured then 'featured'
                        else 'active' end as status
              from listings known,
                   lateral (select count(*) filter (where not is_sold) as reserved,
                                   coalesce(bool_or(is_lot and not is_sold), false) as has_lot,
                                   coalesce(bool_or(is_sold), false) as has_sold
                              from bottles where product_id = known.id) taken
             where known.id = any (${idsOf(listings)})) s
     where l.id = s.id and l.status <> s.status`)
}
