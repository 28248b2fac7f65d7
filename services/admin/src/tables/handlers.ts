import { type BulkEventHandlers, dataOf } from '@wangian/kit/log/event-handlers.ts'
import { noteWordsAbout } from '@wangian/kit/people/erased-words.ts'
import {
  insertListings,
  releaseBottles,
  releaseLots,
  removeListings,
  reserveBottles,
  sellBottles,
  setFeatured,
  setPictures,
  updateListings,
} from './listing-store.ts'
import { saveOrders } from './order-store.ts'
import { endPayments, insertAuctions, insertPayments, setProductStates, settlePayments } from './payment-store.ts'

export const orderHandlers: BulkEventHandlers<'messaging'> = {
  OrderPlaced: (transaction, events) =>
    saveOrders(
      transaction,
      events.map(({ data: { placedAt: at, ...facts } }) => ({ ...facts, status: 'pending', at })),
    ),
  OrderStatusChanged: async (transaction, events) => {
    await saveOrders(
      transaction,
      events.map(({ data: { changedAt: at, ...facts } }) => ({ ...facts, at })),
    )
    // The record may have had the reason before it was known here whose order it is.
    const withReason = events.map(dataOf).filter(({ admin }) => typeof admin?.reason === 'string')
    await noteWordsAbout(
      transaction,
      withReason.flatMap(({ sellerId, buyerId }) => [sellerId, buyerId]),
    )
  },
}

export const listingHandlers: BulkEventHandlers<'catalogue'> = {
  ListingCreated: (transaction, events) => insertListings(transaction, events.map(dataOf)),
  ListingUpdated: (transaction, events) => updateListings(transaction, events.map(dataOf)),
  ListingPicturesChanged: (transaction, events) => setPictures(transaction, events.map(dataOf)),
  ListingRemoved: async (transaction, events) => {
    const removals = events.map(dataOf)
    await removeListings(transaction, removals)
    const withReason = removals.filter(({ reason }) => reason !== null)
    await noteWordsAbout(
      transaction,
      withReason.map(({ sellerId }) => sellerId),
    )
  },
  ListingReserved: (transaction, events) => reserveBottles(transaction, events.map(dataOf)),
  ListingReleased: (transaction, events) => releaseBottles(transaction, events.map(dataOf)),
  ListingSold: (transaction, events) => sellBottles(transaction, events.map(dataOf)),
  ListingReturned: (transaction, events) => releaseLots(transaction, events.map(dataOf)),
  ListingFeatured: (transaction, events) => setFeatured(transaction, events.map(dataOf), true),
  ListingUnfeatured: (transaction, events) => setFeatured(transaction, events.map(dataOf), false),
}

export const paymentHandlers: BulkEventHandlers<'boost'> = {
  BoostOrderPlaced: (transaction, events) => insertPayments(transaction, events.map(dataOf)),
  BoostOrderSettled: (transaction, events) => settlePayments(transaction, events.map(dataOf)),
  BoostOrderFailed: (transaction, events) => endPayments(transaction, events.map(dataOf), 'failed'),
  BoostOrderCancelled: (transaction, events) => endPayments(transaction, events.map(dataOf), 'cancelled'),
  ProductBoosted: (transaction, events) =>
    setProductStates(
      transaction,
      events.map(dataOf).filter(({ caseId }) => caseId === null),
      'boosted',
    ),
  BoostCaseOpened: (transaction, events) => setProductStates(transaction, events.map(dataOf), 'case'),
}

export const auctionHandlers: BulkEventHandlers<'auction'> = {
  AuctionOpened: (transaction, events) => insertAuctions(transaction, events.map(dataOf)),
}
