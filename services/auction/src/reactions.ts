import type { CatalogueEvent } from '@wangian/contracts/catalogue.ts'
import type { IdentityEvent } from '@wangian/contracts/identity.ts'
import type { Executor } from '@wangian/kit/postgres.ts'
import { saveListing, savePerson } from './store.ts'

type Data<Event extends { type: string; data: unknown }, Type extends Event['type']> = Extract<
  Event,
  { type: Type }
>['data']

/** Who sells what: an auction is opened by the owner of its product only. */
export async function onListingCreated(
  transaction: Executor,
  { productId, sellerId, listingType }: Data<CatalogueEvent, 'ListingCreated'>,
): Promise<void> {
  await saveListing(transaction, { productId, sellerId, listingType })
}

/** The names that the bid history shows. */
export async function onUserRegistered(
  transaction: Executor,
  { userId, person }: Data<IdentityEvent, 'UserRegistered'>,
): Promise<void> {
  if (person !== null) await savePerson(transaction, userId, person.username)
}
