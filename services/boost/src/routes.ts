import { boostRoutes } from '@wangian/contracts/boost.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { presentPackage } from './presenter.ts'
import { listPackages } from './store.ts'

export interface RouteDependencies {
  readonly pool: DatabasePool
}

export function addRoutes(app: App, { pool }: RouteDependencies): void {
  handle(app, boostRoutes.listPackages, async ({ query }) => {
    const rows = await listPackages(pool, query.id ?? null)
    return { status: 200, body: rows.map(presentPackage) }
  })

  // Payment is configured nowhere yet: there are no orders, no bills and no cases.
  handle(app, boostRoutes.createOrder, async ({ body }) => {
    if (body.productIds.length === 0) throw new Rejection('no-products-selected')
    if ((await listPackages(pool, body.boostPackageId)).length === 0) throw new Rejection('invalid-package')
    throw new Rejection('payment-not-configured')
  })
  handle(app, boostRoutes.payOrder, () => {
    throw new Rejection('order-not-found')
  })
  handle(app, boostRoutes.cancelOrder, () => {
    throw new Rejection('order-not-found')
  })
  handle(app, boostRoutes.listPayments, () => ({ status: 200, body: [] }))
  handle(app, boostRoutes.getPayment, () => {
    throw new Rejection('order-not-found')
  })
  handle(app, boostRoutes.receiveCallback, () => {
    throw new Rejection('invalid-signature')
  })
  handle(app, boostRoutes.returnFromPayment, () => ({
    status: 303,
    body: undefined,
    headers: { location: '/seller/dashboard?tab=boosted&payment=error' },
  }))
  handle(app, boostRoutes.listCases, () => ({ status: 200, body: [] }))
  handle(app, boostRoutes.chooseProduct, () => {
    throw new Rejection('case-not-found')
  })
}
