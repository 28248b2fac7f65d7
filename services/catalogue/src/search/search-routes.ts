import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import { type App, type AppRequest, handle, PreparedBody } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders } from '@wangian/kit/http/page-cursor.ts'
import { jsonOfAll } from '../listings/product-documents.ts'
import { ProductSearch, type ProductSearchOptions } from './product-search.ts'
import { listLive } from './search-store.ts'

/** The list of products and what it may be narrowed by. */
export function addSearchRoutes(app: App, options: ProductSearchOptions): void {
  const search = new ProductSearch(options)

  handle(app, catalogueRoutes.listProducts, async ({ query, request }) => {
    const { products, total, nextPlace } = await search.page(query, addressOf(request))
    const next = nextPlace && nextPageUrl(request.url, nextPlace)
    return { status: 200, body: products, headers: pageHeaders({ total, next }) }
  })

  handle(app, catalogueRoutes.listLive, async ({ query }) => {
    const documents = await options.documents.list(await listLive(options.pool, query.limit))
    return { status: 200, body: new PreparedBody(catalogueRoutes.listLive, jsonOfAll(documents)) }
  })

  handle(app, catalogueRoutes.listFeatured, async ({ query }) => ({
    status: 200,
    body: await search.featured(query.limit),
  }))

  handle(app, catalogueRoutes.listFacets, async ({ query, request }) => ({
    status: 200,
    body: await search.facets(query, addressOf(request)),
  }))
}

/** Of the client; `null` when whoever asks forwards nobody's request. */
function addressOf({ ip, ips }: AppRequest): string | null {
  return ips !== undefined && ips.length > 1 ? addressKey(ip) : null
}
