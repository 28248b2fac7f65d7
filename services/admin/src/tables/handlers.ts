import { type BulkEventHandlers, dataOf } from '@wangian/kit/log/event-handlers.ts'
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
  OrderStatusChanged: (transaction, events) =>
    saveOrders(
      transaction,
      events.map(({ data: { changedAt: at, ...facts } }) => ({ ...facts, at })),
    ),
}

export const listingHandlers: BulkEventHandlers<'catalogue'> = {
  ListingCreated: (transaction, events) => insertListings(transaction, events.map(dataOf)),
  ListingUpdated: (transaction, events) => updateListings(transaction, events.map(dataOf)),
  ListingPicturesChanged: (transaction, events) => setPictures(transaction, events.map(dataOf)),
  ListingRemoved: (transaction, events) => removeListings(transaction, events.map(dataOf)),
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
