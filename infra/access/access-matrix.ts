import { randomUUID } from 'node:crypto'
import type { Cast, Defect, Person } from './people.ts'

/** What a row needs for its calls. Each of these makes something new that belongs to the owner. */
export interface World {
  readonly cast: Pick<Cast, 'ids'>
  product(): Promise<number>
  auction(): Promise<{ readonly auctionId: number; readonly productId: number }>
  /** A picture that is announced and waits for its file. */
  image(): Promise<{ readonly imageId: number; readonly productId: number }>
}

export interface Call {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: string
  readonly body?: unknown
  /** Sends a small picture in the form's field in place of a body. */
  readonly isUpload?: boolean
}

/**
 * One route: what a right call of it looks like, and the status that each person gets for it. What the holders of defective tokens get
 * follows from the route's access, but for `exceptions`.
 */
export interface Row {
  readonly call: (world: World) => Call | Promise<Call>
  readonly statuses: Readonly<Record<Person, number>>
  readonly exceptions?: Partial<Record<Defect, number>>
}

const all = (status: number): Row['statuses'] => ({
  guest: status,
  buyer: status,
  'other seller': status,
  owner: status,
  admin: status,
  'admin without second factor': status,
})
const signedIn = (status: number): Row['statuses'] => ({ ...all(status), guest: 401 })
/** Only the owner; others who might call it are told that they may not. */
const ownerOnly = (status: number): Row['statuses'] => ({ ...all(403), guest: 401, owner: status })

/** Whoever sells. */
const sellersOnly = (status: number): Row['statuses'] => ({
  ...all(403),
  guest: 401,
  'other seller': status,
  owner: status,
})

const administratorsOnly = (status: number): Row['statuses'] => ({ ...all(403), guest: 401, admin: status })

const nothing = async () => ({})
/** An id that nothing has. */
const NOBODYS = 999_999_999
const NOBODYS_UUID = '0193a000-0000-4000-8000-000000000000'
const aDay = 24 * 60 * 60 * 1000
const tomorrow = () => new Date(Date.now() + aDay).toISOString()

export const listing = {
  name: 'Santal 33',
  brand: 'Le Labo',
  description: 'Cardamom, iris and a lot of sandalwood.',
  price: 680.5,
  categoryId: 4,
  stockQuantity: 1,
  remainingPercentage: 85,
  purchaseYear: 2023,
  boxCondition: 'Good',
  batchCode: 'LL2301',
  listingType: 'auction',
  volume: 100,
} as const

export const auctionOf = (productId: number) => ({ productId, startingPrice: 10, bidIncrement: 1, endsAt: tomorrow() })

/** By service and the route's name in the contracts. A route without a row fails the test. */
export const accessMatrix: Readonly<Record<string, Row>> = {
  'identity.me': { call: nothing, statuses: signedIn(200) },
  'identity.exchangeSession': { call: () => ({ body: { supabaseToken: 'no token' } }), statuses: all(401) },
  'identity.provider': { call: nothing, statuses: all(200) },
  // The bearer is the provider's token, and the owner did not come by Facebook.
  'identity.syncOAuthUser': {
    call: () => ({ body: { email: 'sarah@wangian.test', provider: 'facebook', providerId: '1', username: 'sarah' } }),
    statuses: all(401),
    exceptions: { 'provider token': 403 },
  },
  'identity.lookupEmail': { call: () => ({ body: { username: 'sarah' } }), statuses: all(200) },
  'identity.logout': { call: nothing, statuses: all(200) },
  'identity.updateUser': {
    call: ({ cast }) => ({ params: { userId: cast.ids.owner }, body: { bio: 'Perfumes since 1998.' } }),
    statuses: ownerOnly(200),
  },
  // The password is wrong, or nobody would be left: 400 is what somebody gets who may.
  'identity.closeAccount': {
    call: ({ cast }) => ({ params: { userId: cast.ids.owner }, body: { currentPassword: 'not this one' } }),
    statuses: ownerOnly(400),
  },
  'identity.changePassword': {
    call: () => ({ body: { currentPassword: 'not this one', newPassword: 'something else' } }),
    statuses: signedIn(400),
  },
  'identity.getNotifications': { call: nothing, statuses: signedIn(200) },
  'identity.setNotifications': {
    call: () => ({ body: { sales: true, newReviews: true, lowStock: true } }),
    statuses: signedIn(200),
  },
  'identity.setLanguage': { call: () => ({ body: { language: 'ms' } }), statuses: signedIn(200) },
  'identity.uploadAvatar': { call: () => ({ isUpload: true }), statuses: signedIn(200) },
  'identity.uploadCover': { call: () => ({ isUpload: true }), statuses: signedIn(200) },
  'identity.getProfileImage': { call: () => ({ params: { name: 'nobodys-picture' } }), statuses: all(404) },
  'identity.updatePassword': {
    call: () => ({ body: { token: 'not-a-token', password: 'something else' } }),
    statuses: all(400),
  },
  'identity.verifyEmail': { call: () => ({ query: 'token=not-a-token' }), statuses: all(400) },

  'catalogue.listCategories': { call: nothing, statuses: all(200) },
  'catalogue.listProducts': { call: () => ({ query: 'limit=1' }), statuses: all(200) },
  'catalogue.listLive': { call: nothing, statuses: all(200) },
  'catalogue.listFeatured': { call: nothing, statuses: all(200) },
  'catalogue.listFacets': { call: nothing, statuses: all(200) },
  'catalogue.getProduct': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: all(200),
  },
  'catalogue.recordView': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: all(204),
  },
  'catalogue.listBoostResults': { call: nothing, statuses: signedIn(200) },
  'catalogue.getAnalytics': { call: nothing, statuses: signedIn(200) },
  'catalogue.createProduct': {
    call: () => ({ body: listing }),
    statuses: sellersOnly(201),
  },
  'catalogue.updateProduct': {
    call: async ({ product }) => ({ params: { productId: await product() }, body: { price: 700 } }),
    statuses: ownerOnly(200),
  },
  'catalogue.deleteProduct': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: ownerOnly(204),
  },
  'catalogue.listOwnProducts': { call: nothing, statuses: signedIn(200) },
  'catalogue.getOwnProduct': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: ownerOnly(200),
  },
  'catalogue.getDeletionEffects': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: ownerOnly(200),
  },
  'catalogue.getSummary': { call: nothing, statuses: signedIn(200) },
  'catalogue.orderImages': {
    call: async ({ product }) => ({ params: { productId: await product() }, body: { imageIds: [] } }),
    statuses: ownerOnly(200),
  },
  'catalogue.deleteImage': { call: async ({ image }) => ({ params: await image() }), statuses: ownerOnly(204) },
  'catalogue.registerImage': {
    call: async ({ product }) => ({ body: { productId: await product(), imageUrl: randomUUID(), imageOrder: 0 } }),
    statuses: ownerOnly(201),
  },
  'catalogue.uploadImage': {
    call: async ({ image }) => ({ params: { imageId: (await image()).imageId }, isUpload: true }),
    statuses: ownerOnly(200),
  },
  'catalogue.listImages': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: all(200),
  },
  'catalogue.getSeller': { call: ({ cast }) => ({ params: { sellerId: cast.ids.owner } }), statuses: all(200) },
  'catalogue.listSellerProducts': {
    call: ({ cast }) => ({ params: { sellerId: cast.ids.owner }, query: 'limit=1' }),
    statuses: all(200),
  },
  'catalogue.listVoices': { call: nothing, statuses: all(200) },
  'catalogue.listSellerReviews': {
    call: ({ cast }) => ({ params: { sellerId: cast.ids.owner } }),
    statuses: all(200),
  },
  'catalogue.listFavorites': { call: nothing, statuses: signedIn(200) },
  'catalogue.listFavoriteIds': { call: nothing, statuses: signedIn(200) },
  'catalogue.mergeFavorites': { call: () => ({ body: { productIds: [] } }), statuses: signedIn(200) },
  'catalogue.addFavorite': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: signedIn(204),
  },
  'catalogue.removeFavorite': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: signedIn(204),
  },
  'catalogue.listSuspectedBidders': { call: () => ({ query: 'limit=1' }), statuses: administratorsOnly(200) },
  'catalogue.getSharePicture': {
    call: async ({ product }) => ({ params: { productId: await product() } }),
    statuses: all(200),
  },
  'catalogue.getImage': { call: () => ({ params: { name: 'nobodys-picture' } }), statuses: all(404) },

  'auction.createAuction': {
    call: async ({ product }) => ({ body: auctionOf(await product()) }),
    statuses: ownerOnly(201),
  },
  'auction.reviseAuction': {
    call: async ({ auction }) => ({
      params: { auctionId: (await auction()).auctionId },
      body: { auction: { bidIncrement: 2 } },
    }),
    statuses: ownerOnly(200),
  },
  'auction.cancelAuction': {
    call: async ({ auction }) => ({
      params: { auctionId: (await auction()).auctionId },
      body: { reason: 'Sold elsewhere' },
    }),
    statuses: ownerOnly(200),
  },
  // Nobody has won it.
  'auction.releaseLot': {
    call: async ({ auction }) => ({ params: { auctionId: (await auction()).auctionId }, body: {} }),
    statuses: ownerOnly(409),
  },
  'auction.getAuction': {
    call: async ({ auction }) => ({ params: { auctionId: (await auction()).auctionId } }),
    statuses: all(200),
  },
  'auction.getAuctionOfProduct': {
    call: async ({ auction }) => ({ params: { productId: (await auction()).productId } }),
    statuses: all(200),
  },
  'auction.listBids': {
    call: async ({ auction }) => ({ params: { auctionId: (await auction()).auctionId } }),
    statuses: all(200),
  },
  'auction.listAuctions': { call: () => ({ query: 'limit=1' }), statuses: all(200) },

  // Everybody sees their own: there is nothing of somebody else to ask for.
  'messaging.listMessages': { call: nothing, statuses: signedIn(200) },
  'messaging.listConversations': { call: nothing, statuses: signedIn(200) },
  'messaging.getConversation': {
    call: ({ cast }) => ({ params: { userId: cast.ids.owner } }),
    statuses: signedIn(200),
  },
  'messaging.countUnread': { call: nothing, statuses: signedIn(200) },
  // What strangers get of somebody's card is tested beside the deals.
  'messaging.confirmAction': { call: () => ({ body: { messageId: NOBODYS } }), statuses: signedIn(404) },
  'messaging.submitReview': {
    call: () => ({ params: { messageId: NOBODYS }, body: { rating: 5 } }),
    statuses: signedIn(404),
  },
  'messaging.cancelTransaction': { call: () => ({ params: { transactionId: NOBODYS } }), statuses: signedIn(404) },
  'messaging.getOrder': { call: () => ({ params: { orderId: NOBODYS } }), statuses: signedIn(404) },
  // A form without a receiver.
  'messaging.uploadFile': { call: () => ({ isUpload: true }), statuses: signedIn(400) },
  'messaging.getMessageFile': { call: () => ({ params: { name: 'nobodys-file' } }), statuses: signedIn(404) },
  'messaging.listOrders': { call: nothing, statuses: signedIn(200) },
  'messaging.listSales': { call: nothing, statuses: signedIn(200) },
  'messaging.listWaiting': { call: nothing, statuses: signedIn(200) },
  'messaging.listNotices': { call: nothing, statuses: signedIn(200) },
  'messaging.countNotices': { call: nothing, statuses: signedIn(200) },
  'messaging.getWatch': { call: () => ({ params: { auctionId: NOBODYS } }), statuses: signedIn(404) },
  'messaging.watchAuction': { call: () => ({ params: { auctionId: NOBODYS } }), statuses: signedIn(404) },
  'messaging.unwatchAuction': { call: () => ({ params: { auctionId: NOBODYS } }), statuses: signedIn(404) },
  // Nobody has a notice with this id, and what is not theirs stays as it is.
  'messaging.readNotices': { call: () => ({ body: { id: NOBODYS } }), statuses: signedIn(200) },
  'messaging.getPushKey': { call: nothing, statuses: signedIn(200) },
  // No push service is there.
  'messaging.subscribePush': {
    call: () => ({
      body: {
        endpoint: 'https://push.example.com/nobody',
        keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
        language: 'en',
        topics: ['auction'],
      },
    }),
    statuses: signedIn(400),
  },
  'messaging.unsubscribePush': {
    call: () => ({ body: { endpoint: 'https://push.example.com/nobody' } }),
    statuses: signedIn(204),
  },
  // Nobody blocks themselves.
  'messaging.blockUser': {
    call: ({ cast }) => ({ params: { userId: cast.ids.owner } }),
    statuses: { ...signedIn(200), owner: 403 },
  },
  // Nobody reports themselves.
  'messaging.fileReport': {
    call: ({ cast }) => ({ body: { kind: 'person', targetId: cast.ids.owner, reason: 'spam' } }),
    statuses: { ...signedIn(201), owner: 400 },
  },
  'messaging.listReports': { call: () => ({ query: 'limit=1' }), statuses: administratorsOnly(200) },
  'messaging.decideReport': {
    call: () => ({
      params: { reportId: NOBODYS },
      body: { decision: 'dismissed', reason: 'Nothing is wrong with it.' },
    }),
    statuses: administratorsOnly(404),
  },
  'messaging.unblockUser': {
    call: ({ cast }) => ({ params: { userId: cast.ids.owner } }),
    statuses: signedIn(200),
  },

  'boost.listPackages': { call: nothing, statuses: all(200) },
  // No package has this id. What strangers get of somebody's order is tested beside the orders.
  'boost.createOrder': {
    call: () => ({ body: { boostPackageId: NOBODYS, productIds: [NOBODYS] } }),
    statuses: sellersOnly(400),
  },
  'boost.payOrder': { call: () => ({ params: { orderId: NOBODYS_UUID } }), statuses: signedIn(404) },
  'boost.cancelOrder': { call: () => ({ params: { orderId: NOBODYS_UUID } }), statuses: signedIn(404) },
  'boost.listPayments': { call: nothing, statuses: signedIn(200) },
  'boost.getPayment': { call: () => ({ params: { orderId: NOBODYS_UUID } }), statuses: signedIn(404) },
  // Whose word it is, the signature says and no token.
  'boost.receiveCallback': { call: () => ({ body: { id: 'nobodys', x_signature: '0' } }), statuses: all(401) },
  'boost.returnFromPayment': { call: nothing, statuses: all(303) },
  'boost.listCases': { call: nothing, statuses: signedIn(200) },
  'boost.chooseProduct': {
    call: () => ({ params: { caseId: NOBODYS }, body: { productId: NOBODYS } }),
    statuses: sellersOnly(404),
  },
  'boost.listAllCases': { call: nothing, statuses: administratorsOnly(200) },
  'boost.refundCase': {
    call: () => ({ params: { caseId: NOBODYS }, body: { reason: 'Paid back by bank transfer.' } }),
    statuses: administratorsOnly(404),
  },
  'boost.listPaymentAlerts': { call: () => ({ query: 'limit=1' }), statuses: administratorsOnly(200) },
  'boost.closePaymentAlert': {
    call: () => ({ params: { alertId: NOBODYS }, body: { reason: 'Paid back by bank transfer.' } }),
    statuses: administratorsOnly(404),
  },

  'admin.listUsers': { call: () => ({ query: 'limit=1' }), statuses: administratorsOnly(200) },
  'admin.getUser': { call: ({ cast }) => ({ params: { userId: cast.ids.buyer } }), statuses: administratorsOnly(200) },
  // That nobody does so to themselves is tested beside the accounts.
  'admin.setBanned': {
    call: ({ cast }) => ({ params: { userId: cast.ids.buyer }, body: { isBanned: false } }),
    statuses: administratorsOnly(200),
  },
  'admin.setAdministrator': {
    call: ({ cast }) => ({ params: { userId: cast.ids.buyer }, body: { isAdmin: false, reason: 'Access matrix' } }),
    statuses: administratorsOnly(200),
  },
  // They have none.
  'admin.removeFactors': {
    call: ({ cast }) => ({ params: { userId: cast.ids.buyer }, body: { reason: 'Access matrix' } }),
    statuses: administratorsOnly(200),
  },
  'admin.moveOrder': {
    call: () => ({ params: { orderId: NOBODYS }, body: { status: 'shipped' } }),
    statuses: administratorsOnly(404),
  },
  'admin.removeListing': {
    call: async ({ product }) => ({ params: { productId: await product() }, body: { reason: 'Access matrix' } }),
    statuses: administratorsOnly(200),
  },
  'admin.listPayments': { call: () => ({ query: 'limit=1' }), statuses: administratorsOnly(200) },
  'admin.listActivity': { call: () => ({ query: 'limit=1' }), statuses: administratorsOnly(200) },
  'admin.exportActivity': { call: nothing, statuses: administratorsOnly(200) },
  'admin.getTimeline': {
    call: ({ cast }) => ({ params: { kind: 'user', id: cast.ids.buyer } }),
    statuses: administratorsOnly(200),
  },
  'admin.getSystem': { call: nothing, statuses: administratorsOnly(200) },
  'admin.listParked': { call: nothing, statuses: administratorsOnly(200) },
  'admin.retryParked': {
    call: () => ({ body: { service: 'catalogue', consumer: 'nobodys', eventId: 'nobodys' } }),
    statuses: administratorsOnly(404),
  },
  'admin.discardParked': {
    call: () => ({ body: { service: 'catalogue', consumer: 'nobodys', eventId: 'nobodys', reason: 'Access matrix' } }),
    statuses: administratorsOnly(404),
  },
  'admin.listOrders': { call: () => ({ query: 'limit=1' }), statuses: administratorsOnly(200) },
  'admin.getOrder': { call: () => ({ params: { orderId: NOBODYS } }), statuses: administratorsOnly(404) },
  'admin.listListings': { call: () => ({ query: 'limit=1' }), statuses: administratorsOnly(200) },
  'admin.getListing': { call: () => ({ params: { productId: NOBODYS } }), statuses: administratorsOnly(404) },
}
