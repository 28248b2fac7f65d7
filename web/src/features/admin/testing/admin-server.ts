import type { AdminActivity, AdminListing, AdminOrder, AdminUser, SystemService } from '@wangian/contracts/admin.ts'
import { adminRoutes } from '@wangian/contracts/admin.ts'
import { bidderRoutes } from '@wangian/contracts/bidders.ts'
import { type AdminReport, reportRoutes } from '@wangian/contracts/reports.ts'
import { now } from '../../../testing/fixtures.ts'
import type { mockApi } from '../../../testing/mock-api.ts'

/** The administrator who looks at the pages. */
export const lim = { id: 1, username: 'lim', isAdmin: true }

export function adminUser(changes: Partial<AdminUser> = {}): AdminUser {
  return {
    id: 10,
    username: 'bala',
    email: 'bala@wangian.test',
    firstName: 'Bala',
    lastName: 'Krishnan',
    isSeller: false,
    isAdmin: false,
    isBanned: false,
    isVerified: true,
    hasSecondFactor: false,
    status: 'active',
    createdAt: now,
    ...changes,
  }
}

export function adminOrder(changes: Partial<AdminOrder> = {}): AdminOrder {
  return {
    id: 5,
    userId: 10,
    user: { id: 10, username: 'bala' },
    seller: { id: 3, username: 'sarah' },
    product: { id: 7, name: 'Oud Wood' },
    total: 1250,
    status: 'pending',
    createdAt: now,
    updatedAt: now,
    ...changes,
  }
}

export function adminListing(changes: Partial<AdminListing> = {}): AdminListing {
  return {
    id: 7,
    name: 'Oud Wood',
    brand: 'Tom Ford',
    price: 50,
    imageUrl: null,
    listingType: 'fixed',
    seller: { id: 3, username: 'sarah' },
    status: 'active',
    createdAt: now,
    removal: null,
    ...changes,
  }
}

export function activity(changes: Partial<AdminActivity> = {}): AdminActivity {
  return {
    id: '0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d10',
    at: now,
    actor: { id: 1, username: 'lim' },
    action: 'ban-user',
    target: { kind: 'user', id: '10', name: 'bala' },
    reason: 'Sells fakes',
    before: { isBanned: false },
    after: { isBanned: true },
    ...changes,
  }
}

export function adminReport(id: number, changes: Partial<AdminReport> = {}): AdminReport {
  return {
    id,
    kind: 'listing',
    targetId: 7,
    reason: 'counterfeit',
    text: `The batch code of ${id} is wrong.`,
    status: 'open',
    createdAt: now,
    reporter: { id: 10, username: 'bala' },
    reported: { id: 3, username: 'sarah' },
    content: 'Oud Wood',
    decidedAt: null,
    decidedBy: null,
    decisionReason: null,
    ...changes,
  }
}

export function service(name: string, changes: Partial<SystemService> = {}): SystemService {
  return {
    name,
    status: {
      instanceId: name,
      startedAt: now,
      isDatabaseUp: true,
      relay: { unpublishedCount: 0, oldestUnpublishedMs: null, heads: [] },
      consumers: [],
      parkedCount: 0,
    },
    lags: [],
    ...changes,
  }
}

/** Answers what every page asks, until a test says something else. */
export function serveAdmin(api: ReturnType<typeof mockApi>): void {
  const counted = (total: number) => ({ 'x-total-count': String(total) })
  api.answer(adminRoutes.listUsers, () => [adminUser()], counted(1))
  api.answer(adminRoutes.listOrders, () => [adminOrder()], counted(1))
  api.answer(adminRoutes.listListings, () => [adminListing()], counted(1))
  api.answer(adminRoutes.listPayments, () => [], counted(0))
  api.answer(adminRoutes.listActivity, () => [activity()], counted(1))
  api.answer(reportRoutes.listReports, () => [], counted(0))
  api.answer(bidderRoutes.listSuspectedBidders, () => [], counted(0))
  api.answer(adminRoutes.getTimeline, () => [])
  api.answer(adminRoutes.getUser, () => ({ ...adminUser(), ...details }))
  api.answer(adminRoutes.getOrder, () => adminOrder())
  api.answer(adminRoutes.getListing, () => adminListing())
}

/** What only somebody's own page shows. */
export const details = {
  address: null,
  shopName: null,
  location: null,
  bio: null,
  profileImage: null,
  lastSignInAt: null,
  closedAt: null,
  banReason: null,
}
