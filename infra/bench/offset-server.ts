import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'

const PAGE = 24
const CONNECTIONS = 10

/** The way a list of products is usually built: filters by `ilike`, `order by … offset`, and the count of everything with each page. */
export async function startOffsetServer(databaseUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS,
    options: '-c search_path=catalogue,extensions',
  })
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const answer = pathname === '/facets' ? facets(pool, searchParams) : list(pool, searchParams)
    answer.then(
      (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await pool.end()
    },
  }
}

const orders: Readonly<Record<string, string>> = {
  featured: 'is_featured desc, created_at desc',
  'price-asc': 'price_sen',
  'price-desc': 'price_sen desc',
  'best-selling': 'sales_count desc',
}

async function list(pool: Pool, query: URLSearchParams): Promise<unknown> {
  const { where, values } = conditionsOf(query)
  const order = orders[query.get('sort') ?? ''] ?? 'created_at desc'
  const offset = (Number(query.get('page') ?? 1) - 1) * PAGE
  const [page, total] = await Promise.all([
    pool.query(`select * from products where ${where} order by ${order} limit ${PAGE} offset ${offset}`, values),
    pool.query(`select count(*)::int as total from products where ${where}`, values),
  ])
  return { products: page.rows, total: total.rows[0]?.total }
}

async function facets(pool: Pool, query: URLSearchParams): Promise<unknown> {
  const { where, values } = conditionsOf(query)
  const { rows } = await pool.query(
    `select brand, count(*)::int as count from products where ${where} group by brand order by count(*) desc`,
    values,
  )
  return rows
}

function conditionsOf(query: URLSearchParams): { where: string; values: unknown[] } {
  const values: unknown[] = []
  const value = (given: unknown) => `$${values.push(given)}`
  const conditions = [`status in ('active', 'featured', 'sold')`]
  const [category, search, minPrice, maxPrice] = ['category', 'search', 'minPrice', 'maxPrice'].map((name) =>
    query.get(name),
  )
  if (category) conditions.push(`category_id = ${value(Number(category))}`)
  if (minPrice) conditions.push(`price_sen >= ${value(Math.round(Number(minPrice) * 100))}`)
  if (maxPrice) conditions.push(`price_sen <= ${value(Math.round(Number(maxPrice) * 100))}`)
  if (query.has('brand')) conditions.push(`brand = any (${value(query.getAll('brand'))})`)
  if (search) {
    const pattern = value(`%${search}%`)
    conditions.push(`(name ilike ${pattern} or brand ilike ${pattern} or description ilike ${pattern})`)
  }
  return { where: conditions.join(' and '), values }
}
