import { z } from 'zod'
import { BoostPayment, PaymentStatus } from './boost.ts'
import { ListingType, ProductStatus } from './catalogue.ts'
import { Id, IdParam, ProductId, UserId } from './ids.ts'
import { OrderStatus } from './messaging.ts'
import { Ringgit } from './money.ts'
import { Reason } from './reason.ts'
import { route } from './route.ts'
import { ParkedEvent, ServiceStatus } from './service-status.ts'
import { isStorableText } from './text.ts'
import { Instant } from './time.ts'

/** A page of a table has at most so many rows. */
export const ADMIN_ROWS_MAX = 100
/** And so many where it is not said how many. */
export const ADMIN_ROWS_DEFAULT = 25
/** A search that finds more rows has no total. */
export const ADMIN_FOUND_COUNTED_MAX = 1_000

/** Somebody as tables name them. */
export const Named = z.object({
  id: UserId,
  /** `null` for somebody who has deleted their account. */
  username: z.string().nullable(),
})

export const UserStatus = z.enum(['active', 'banned', 'unconfirmed', 'closed'])
export type UserStatus = z.infer<typeof UserStatus>

/** The first that is true counts: administrator, seller, customer. */
export const UserRole = z.enum(['admin', 'seller', 'customer'])
export type UserRole = z.infer<typeof UserRole>

/** What the table of users is sorted by. */
export const peopleSorts = [
  'newest',
  'username-asc',
  'username-desc',
  'email-asc',
  'email-desc',
  'name-asc',
  'name-desc',
] as const

/** Somebody as administrators see them. */
export const AdminUser = z
  .object({
    id: UserId,
    username: z.string(),
    email: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    isSeller: z.boolean(),
    isAdmin: z.boolean(),
    isBanned: z.boolean(),
    /** They have confirmed their address. */
    isVerified: z.boolean(),
    hasSecondFactor: z.boolean(),
    status: UserStatus,
    createdAt: Instant,
  })
  .meta({ id: 'AdminUser' })
export type AdminUser = z.infer<typeof AdminUser>

/** The same with what only their page shows. */
export const AdminUserDetails = AdminUser.extend({
  address: z.string().nullable(),
  shopName: z.string().nullable(),
  location: z.string().nullable(),
  bio: z.string().nullable(),
  profileImage: z.string().nullable(),
  lastSignInAt: Instant.nullable(),
  /** Asked to be deleted. */
  closedAt: Instant.nullable(),
  /** Why they are banned; `null` for those who are not. */
  banReason: z.string().nullable(),
}).meta({ id: 'AdminUserDetails' })
export type AdminUserDetails = z.infer<typeof AdminUserDetails>

/** The moves of an order that administrators are offered. */
export const orderMoves: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  pending: ['processing', 'cancelled'],
  processing: ['shipped', 'cancelled'],
  shipped: ['delivered'],
  delivered: [],
  cancelled: [],
}

/** An order as administrators see it. */
export const AdminOrder = z
  .object({
    /** Of the order, and of its transaction. */
    id: Id,
    /** Who bought. */
    userId: UserId,
    user: Named,
    seller: Named,
    product: z.object({ id: ProductId, name: z.string() }),
    total: Ringgit,
    status: OrderStatus,
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'AdminOrder' })
export type AdminOrder = z.infer<typeof AdminOrder>

/** What a listing is, or that it was taken away, which catalogue has as archived. */
export const ListingStatus = z.enum([...ProductStatus.exclude(['archived']).options, 'removed'])
export type ListingStatus = z.infer<typeof ListingStatus>

/** A listing as administrators see it. */
export const AdminListing = z
  .object({
    id: ProductId,
    name: z.string(),
    brand: z.string(),
    price: Ringgit,
    imageUrl: z.string().nullable(),
    listingType: ListingType,
    seller: Named,
    status: ListingStatus,
    createdAt: Instant,
    /** When, by whom and why it was taken away. */
    removal: z.object({ at: Instant, by: z.enum(['seller', 'admin']), reason: z.string().nullable() }).nullable(),
  })
  .meta({ id: 'AdminListing' })
export type AdminListing = z.infer<typeof AdminListing>

/** A payment for a boost as administrators see it. Amounts are in sen. */
export const AdminPayment = BoostPayment.pick({
  id: true,
  orderId: true,
  amount: true,
  status: true,
  packageName: true,
  createdAt: true,
})
  .extend({
    user: Named,
    billId: z.string().nullable(),
    paidAt: Instant.nullable(),
    products: z.array(
      z.object({ productId: ProductId, name: z.string(), state: z.enum(['waiting', 'boosted', 'case']) }),
    ),
  })
  .meta({ id: 'AdminPayment' })
export type AdminPayment = z.infer<typeof AdminPayment>

export const AdminAction = z.enum([
  'ban-user',
  'unban-user',
  'appoint-administrator',
  'dismiss-administrator',
  'remove-second-factor',
  'move-order',
  'remove-listing',
  'decide-report',
  'refund-case',
  'close-payment-alert',
  'retry-event',
  'discard-event',
])
export type AdminAction = z.infer<typeof AdminAction>

/** What was changed, as it was or is: fields by their names. */
const Facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

/** What an administrator has done. */
export const AdminActivity = z
  .object({
    /** Of the event that it is read from. */
    id: z.uuid(),
    at: Instant,
    actor: Named,
    action: AdminAction,
    target: z.object({
      kind: z.enum(['user', 'order', 'listing', 'report', 'case', 'payment-alert', 'event']),
      id: z.string(),
      /** What it is called, where that is known. */
      name: z.string().nullable(),
    }),
    reason: z.string().nullable(),
    before: Facts,
    after: Facts,
  })
  .meta({ id: 'AdminActivity' })
export type AdminActivity = z.infer<typeof AdminActivity>

/** Of what was before there is nothing in a timeline. */
export const TIMELINE_ENTRIES_MAX = 200

/** Something that has happened to somebody or something, as a log has it. */
export const TimelineEntry = z
  .object({
    /** Of the event. */
    id: z.uuid(),
    at: Instant,
    service: z.string(),
    type: z.string(),
    /** Who did it; `null` for what happened by itself. */
    actor: Named.nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TimelineEntry' })
export type TimelineEntry = z.infer<typeof TimelineEntry>

/** A service and what it says of itself; `status` is `null` when it does not answer. */
export const SystemService = z
  .object({
    name: z.string(),
    status: ServiceStatus.nullable(),
    /** Of each of its consumers, how many events of the source it has not handled; `null` when that is not known. */
    lags: z.array(z.object({ consumer: z.string(), source: z.string(), events: z.int().min(0).nullable() })),
  })
  .meta({ id: 'SystemService' })
export type SystemService = z.infer<typeof SystemService>

/** The same where it may be left out. */
const OptionalReason = z
  .string()
  .trim()
  .max(500, 'Please use at most 500 characters')
  .refine(isStorableText, 'Please give a reason that can be read')
  .transform((text) => (text === '' ? null : text))
  .nullish()

/** A cursor has what its row is sorted by: a name of two times 100 letters, of which each may be eighteen when it is compared. */
const CURSOR_LENGTH_MAX = 10_000

/** Of every table. Rows come with `X-Total-Count`, unless a search finds too many to count them, and a `Link` to the next page as long as there is one. */
const table = {
  /** Letters in any case and without accents; `%` and `_` are letters. */
  search: z.string().trim().max(100).refine(isStorableText).optional(),
  limit: z.coerce.number().int().min(1).max(ADMIN_ROWS_MAX).optional(),
  /** Of the page before. */
  cursor: z.string().max(CURSOR_LENGTH_MAX).optional(),
}

const userParams = z.object({ userId: IdParam })

export const adminRoutes = {
  listUsers: route({
    method: 'GET',
    path: '/api/admin/users',
    access: 'admin',
    summary: 'Everybody who has an account',
    query: z.object({
      ...table,
      status: UserStatus.optional(),
      role: UserRole.optional(),
      sort: z.enum(peopleSorts).optional(),
    }),
    answers: { 200: z.array(AdminUser) },
    refusals: ['unavailable'],
  }),
  getUser: route({
    method: 'GET',
    path: '/api/admin/users/:userId',
    access: 'admin',
    summary: 'All that is known of somebody',
    params: userParams,
    answers: { 200: AdminUserDetails },
    refusals: ['user-not-found', 'unavailable'],
  }),
  /** The same call again changes nothing. */
  setBanned: route({
    method: 'PATCH',
    path: '/api/admin/users/:userId/ban',
    access: 'admin',
    summary: 'Bans somebody, which signs them out everywhere and hides what they sell, or lifts the ban',
    params: userParams,
    body: z.object({ isBanned: z.boolean(), reason: OptionalReason }),
    answers: { 200: AdminUser },
    refusals: ['user-not-found', 'conflict', 'unavailable'],
  }),
  setAdministrator: route({
    method: 'PATCH',
    path: '/api/admin/users/:userId/admin',
    access: 'admin',
    summary: 'Appoints an administrator, or dismisses one',
    params: userParams,
    body: z.object({ isAdmin: z.boolean(), reason: Reason }),
    answers: { 200: AdminUser },
    refusals: ['user-not-found', 'conflict', 'last-administrator', 'unavailable'],
  }),
  removeFactors: route({
    method: 'DELETE',
    path: '/api/admin/users/:userId/factors',
    access: 'admin',
    summary: 'Takes the second factor off somebody who has lost it',
    params: userParams,
    body: z.object({ reason: Reason }),
    answers: { 200: AdminUser },
    refusals: ['user-not-found', 'conflict', 'unavailable'],
  }),
  listOrders: route({
    method: 'GET',
    path: '/api/admin/orders',
    access: 'admin',
    summary: 'The orders of everybody',
    query: z.object({
      ...table,
      status: OrderStatus.optional(),
      /** Who bought or sold. */
      userId: IdParam.optional(),
      productId: IdParam.optional(),
      sort: z.enum(['newest', 'total-asc', 'total-desc']).optional(),
    }),
    answers: { 200: z.array(AdminOrder) },
  }),
  getOrder: route({
    method: 'GET',
    path: '/api/admin/orders/:orderId',
    access: 'admin',
    summary: 'One order',
    params: z.object({ orderId: IdParam }),
    answers: { 200: AdminOrder },
    refusals: ['order-not-found'],
  }),
  moveOrder: route({
    method: 'PATCH',
    path: '/api/admin/orders/:orderId/status',
    access: 'admin',
    summary: 'Moves an order, and the transaction behind it',
    params: z.object({ orderId: IdParam }),
    body: z.object({ status: OrderStatus, reason: OptionalReason }),
    answers: { 200: AdminOrder },
    refusals: ['order-not-found', 'order-move', 'unavailable'],
  }),
  listListings: route({
    method: 'GET',
    path: '/api/products/all',
    access: 'admin',
    summary: 'The listings of everybody, also those that were taken away',
    query: z.object({
      ...table,
      status: ListingStatus.optional(),
      sellerId: IdParam.optional(),
      sort: z.enum(['newest', 'name-asc', 'name-desc', 'price-asc', 'price-desc']).optional(),
    }),
    answers: { 200: z.array(AdminListing) },
  }),
  getListing: route({
    method: 'GET',
    path: '/api/admin/listings/:productId',
    access: 'admin',
    summary: 'One listing, also one that was taken away',
    params: z.object({ productId: IdParam }),
    answers: { 200: AdminListing },
    refusals: ['product-not-found'],
  }),
  removeListing: route({
    method: 'POST',
    path: '/api/admin/products/:productId/remove',
    access: 'admin',
    summary: 'Takes a listing away, ends its auction, and tells its seller why',
    params: z.object({ productId: IdParam }),
    body: z.object({ reason: Reason }),
    answers: { 200: z.object({ success: z.literal(true) }) },
    refusals: ['product-not-found', 'unavailable'],
  }),
  listPayments: route({
    method: 'GET',
    path: '/api/admin/payments',
    access: 'admin',
    summary: 'The payments of everybody',
    query: z.object({
      ...table,
      status: PaymentStatus.optional(),
      userId: IdParam.optional(),
      sort: z.enum(['newest', 'total-asc', 'total-desc']).optional(),
    }),
    answers: { 200: z.array(AdminPayment) },
  }),
  listActivity: route({
    method: 'GET',
    path: '/api/admin/activity',
    access: 'admin',
    summary: 'What administrators have done, the latest first',
    query: z.object({
      limit: table.limit,
      cursor: table.cursor,
      actorId: IdParam.optional(),
      action: AdminAction.optional(),
      targetKind: AdminActivity.shape.target.shape.kind.optional(),
      targetId: z.string().max(64).optional(),
    }),
    answers: { 200: z.array(AdminActivity) },
    refusals: ['unavailable'],
  }),
  exportActivity: route({
    method: 'GET',
    path: '/api/admin/activity/export',
    access: 'admin',
    summary: 'The same as a table of comma-separated values',
    query: z.object({
      actorId: IdParam.optional(),
      action: AdminAction.optional(),
      targetKind: AdminActivity.shape.target.shape.kind.optional(),
    }),
    answers: { 200: z.file() },
    refusals: ['unavailable'],
  }),
  getTimeline: route({
    method: 'GET',
    path: '/api/admin/timeline/:kind/:id',
    access: 'admin',
    summary: 'What has happened to somebody or something, the latest first',
    params: z.object({ kind: z.enum(['user', 'order', 'listing']), id: IdParam }),
    answers: { 200: z.array(TimelineEntry) },
    refusals: ['unavailable'],
  }),
  getSystem: route({
    method: 'GET',
    path: '/api/admin/system',
    access: 'admin',
    summary: 'How the services are',
    answers: { 200: z.object({ at: Instant, services: z.array(SystemService) }) },
  }),
  listParked: route({
    method: 'GET',
    path: '/api/admin/system/parked',
    access: 'admin',
    summary: 'Events that could not be handled, first those that wait for a person, the oldest first',
    query: z.object({ limit: table.limit }),
    answers: { 200: z.array(ParkedEvent.extend({ service: z.string() })) },
  }),
  retryParked: route({
    method: 'POST',
    path: '/api/admin/system/parked/retry',
    access: 'admin',
    summary: 'Has an event tried again',
    body: z.object({
      service: z.string().max(30),
      consumer: z.string().max(100),
      eventId: z.string().max(100),
      reason: OptionalReason,
    }),
    answers: { 200: z.object({ success: z.literal(true) }) },
    refusals: ['not-found', 'conflict', 'unavailable'],
  }),
  discardParked: route({
    method: 'POST',
    path: '/api/admin/system/parked/discard',
    access: 'admin',
    summary: 'Gives an event up; what waits behind it goes on',
    body: z.object({
      service: z.string().max(30),
      consumer: z.string().max(100),
      eventId: z.string().max(100),
      reason: Reason,
    }),
    answers: { 200: z.object({ success: z.literal(true) }) },
    refusals: ['not-found', 'unavailable'],
  }),
} as const
