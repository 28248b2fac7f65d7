import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders } from '@wangian/kit/http/page-cursor.ts'
import { presentProduct } from '../listings/presenter.ts'
import { ProductSearch, type ProductSearchOptions } from './product-search.ts'
import { listLive } from './search-store.ts'

/** The list of products and what it may be narrowed by. */
export function addSearchRoutes(app: App, options: ProductSearchOptions): void {
  const search = new ProductSearch(options)

  handle(app, catalogueRoutes.listProducts, async ({ query, request }) => {
    const { products, total, nextPlace } = await search.page(query)
    const next = nextPlace && nextPageUrl(request.url, nextPlace)
    return { status: 200, body: products, headers: pageHeaders({ total, next }) }
  })

  handle(app, catalogueRoutes.listLive, async ({ query }) => {
    const rows = await listLive(options.pool, query.limit)
    return { status: 200, body: rows.map(presentProduct) }
  })

  handle(app, catalogueRoutes.listFeatured, async ({ query }) => ({
    status: 200,
    body: await search.featured(query.limit),
  }))

  handle(app, catalogueRoutes.listFacets, async ({ query }) => ({ status: 200, body: await search.facets(query) }))
}
