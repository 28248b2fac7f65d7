import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { GatheredLookup } from '@wangian/kit/gathered-lookup.ts'
import { VersionedCache } from '@wangian/kit/versioned-cache.ts'
import { findProducts, listVersions, type ProductRow, type ProductVersion } from '../store.ts'
import { presentProduct } from './presenter.ts'

/** As JSON, and what a page has to know besides. */
const DOCUMENTS_BYTES_MAX = 32 * 1024 * 1024
const OVERHEAD_BYTES = 400

/** A product as everybody may see it, and what decides who may look at it. */
export interface ProductDocument
  extends Pick<ProductRow, 'id' | 'sellerId' | 'isSellerHidden' | 'status' | 'reviewCount'> {
  /** A `Product` of the contract. */
  readonly json: string
}

/**
 * Products as pages show them, written as JSON once for each version of a product. Which version counts is asked of the database each time, so
 * that none is older than the tables: to read, check and write down 24 products takes ten times as long.
 */
export class ProductDocuments {
  readonly #pool: DatabasePool
  readonly #known = new VersionedCache<ProductDocument>({ bytesMax: DOCUMENTS_BYTES_MAX })
  readonly #singly = new GatheredLookup(async (ids: readonly number[]) => {
    const documents = await this.list(ids)
    return new Map(documents.map((document) => [document.id, document]))
  })

  constructor(pool: DatabasePool) {
    this.#pool = pool
  }

  /** In the order of the ids as given, without what is deleted. */
  async list(productIds: readonly number[]): Promise<readonly ProductDocument[]> {
    const known = productIds.filter((id) => this.#known.has(id))
    return this.#read(productIds, known.length > 0 ? await listVersions(this.#pool, known) : [])
  }

  /** Of whom it is known which version counts. */
  listOf(versions: readonly ProductVersion[]): Promise<readonly ProductDocument[]> {
    return this.#read(
      versions.map(({ id }) => id),
      versions,
    )
  }

  async #read(productIds: readonly number[], versions: readonly ProductVersion[]): Promise<readonly ProductDocument[]> {
    const found = new Map<number, ProductDocument>()
    for (const { id, version } of versions) {
      const document = this.#known.find(id, version)
      if (document !== null) found.set(id, document)
    }
    const missing = productIds.filter((id) => !found.has(id))
    if (missing.length > 0) {
      for (const row of await findProducts(this.#pool, missing)) {
        const document = documentOf(row)
        found.set(row.id, document)
        this.#known.keep(row.id, row.version, document, document.json.length + OVERHEAD_BYTES)
      }
    }
    return productIds.flatMap((id) => found.get(id) ?? [])
  }

  /** Those that many ask for at the same time are read together. */
  async find(productId: number): Promise<ProductDocument | null> {
    return (await this.#singly.find(productId)) ?? null
  }
}

function documentOf(row: ProductRow): ProductDocument {
  const { id, sellerId, isSellerHidden, status, reviewCount } = row
  const json = JSON.stringify(presentProduct(row))
  return { id, sellerId, isSellerHidden, status, reviewCount, json }
}

/** An array of products, as JSON. */
export const jsonOfAll = (documents: readonly ProductDocument[]): string =>
  `[${documents.map(({ json }) => json).join(',')}]`
