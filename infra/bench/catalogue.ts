// npm run bench:catalogue [-- --products 100000] [--rounds 5] [--quick] [--only gateway]
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { repositoryRoot } from '../local/config.ts'
import { startAuctionRig } from '../rig/auction-rig.ts'
import { tellFigure } from './figures.ts'
import { generateProducts } from './generated-products.ts'
import { startOffsetServer } from './offset-server.ts'
import { requestLoop } from './request-loop.ts'
import { quantile } from './statistics.ts'

/*
 * How long the catalogue's list takes with very many products, 20 requests in parallel, beside the way it is usually built: offset, a count,
 * and `ilike`. Both answer over HTTP from the same Postgres, in turn.
 */

const { values: flags } = parseArgs({
  options: {
    products: { type: 'string', default: '100000' },
    // Questions whose name has this.
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
  },
})
const products = Number(flags.products)
const IN_PARALLEL = 20
/** More than are answered while an answer is remembered. */
const DISTINCT = 20_000
/** Before each measurement, which would otherwise be of the first answer to a question, and of just-in-time compilers. */
const WARM_UP_MS = 300
/** Asked one after the other before that: of who asks the service itself few may wait for what is counted once for many questions. */
const ASKED_SINGLY = 10
const rounds = flags.quick ? 2 : Number(flags.rounds)
const measureMs = flags.quick ? 1500 : 3000

/** Ours and the usual way's address of the same question, or of many that are asked in turn so that no memory helps; `null` where the usual way has no answer. */
interface Question {
  readonly name: string
  /** Whether ours are asked through the gateway, as people do; the usual way has none before it. */
  readonly isThroughGateway?: true
  readonly ours: string | readonly string[]
  readonly theirs: string | readonly string[] | null
  /** What its p99 has to stay below, ms. */
  readonly limitMs: number
}

const list = (
  name: string,
  query: string,
  theirs: string | null = query,
  more: { readonly limitMs?: number } = {},
): Question => ({
  name,
  ours: `/api/products?limit=24${query}`,
  theirs: theirs === null ? null : `/list?${theirs}`,
  limitMs: 50,
  ...more,
})

async function main(): Promise<void> {
  const rig = await startAuctionRig({ hasCatalogue: true })
  let usual: Awaited<ReturnType<typeof startOffsetServer>> | undefined
  try {
    if (rig.catalogue === null) throw new Error('the rig was asked for a catalogue')
    const { url, databaseUrl } = rig.catalogue
    await generateProducts(databaseUrl, rig.natsUrl, products)
    await makeReady(rig.adminDatabaseUrl)
    usual = await startOffsetServer(rig.adminDatabaseUrl)
    const deep = await cursorOfPage(url, 100)
    const all: Question[] = [
      ...throughGateway(),
      list('newest, page 1', '', '&page=1', { limitMs: 25 }),
      { name: 'newest, page 100', ours: deep, theirs: '/list?page=100', limitMs: 25 },
      list('featured first', '&sort=featured', '&page=1&sort=featured'),
      list('price, low to high', '&sort=price-asc', '&page=1&sort=price-asc'),
      list('price, high to low', '&sort=price-desc', '&page=1&sort=price-desc'),
      list('best selling', '&sort=best-selling', '&page=1&sort=best-selling'),
      list('auctions, ending soonest', '&type=auction&sort=ending-soonest', null),
      list('a category', '&category=3', '&page=1&category=3'),
      list('a price range', '&minPrice=150&maxPrice=160', '&page=1&minPrice=150&maxPrice=160'),
      list('two brands', '&brand=creed&brand=amouage', '&page=1&brand=Creed&brand=Amouage'),
      list(
        'a category and a brand, by price',
        '&category=4&brand=creed&sort=price-asc',
        '&page=1&category=4&brand=Creed&sort=price-asc',
      ),
      list('a frequent word', '&search=oud', '&page=1&search=oud'),
      list('rare words', '&search=zoologist%20secret%20saffron', '&page=1&search=zoologist'),
      list('two words', '&search=hermes%20rose', '&page=1&search=rose'),
      list('a misspelt word', '&search=givnchy', null),
      list('a word that nobody uses', '&search=xqzzt', '&page=1&search=xqzzt'),
      list('a search, by price', '&search=santal&sort=price-asc', '&page=1&search=santal&sort=price-asc'),
      ...distinctQuestions(),
      {
        name: 'facets of everything',
        ours: '/api/products/facets',
        theirs: '/facets?',
        limitMs: 50,
      },
      {
        name: 'facets of a category',
        ours: '/api/products/facets?category=4',
        theirs: '/facets?category=4',
        limitMs: 50,
      },
      {
        name: 'facets of a search',
        ours: '/api/products/facets?search=oud',
        theirs: '/facets?search=oud',
        limitMs: 50,
      },
    ]
    const questions = all.filter(({ name }) => name.includes(flags.only))
    const measured = new Map<string, { ours: number[]; theirs: number[]; perS: number[] }>()
    for (let round = 0; round < rounds; round++) {
      for (const question of questions) {
        const samples = measured.get(question.name) ?? { ours: [], theirs: [], perS: [] }
        measured.set(question.name, samples)
        const ours = await measure(addresses(question.isThroughGateway ? rig.gatewayUrl : url, question.ours))
        samples.ours.push(quantile(ours, 0.99))
        samples.perS.push((ours.length / measureMs) * 1000)
        if (question.theirs === null) continue
        const theirs = await measure(addresses(usual.url, question.theirs))
        samples.theirs.push(quantile(theirs, 0.99))
      }
      console.log(`round ${round + 1} of ${rounds}`)
    }
    report(questions, measured, await measureBounds(url))
  } finally {
    // Before its database, the end of which would be the only error that is seen.
    await usual?.stop()
    await rig.stop()
  }
}

/** @returns how long each answer took, ms */
async function measure(urls: readonly string[]): Promise<number[]> {
  // The last ones, so that what was asked already is not asked again.
  await requestLoop(urls.slice(-ASKED_SINGLY), { inParallel: 1, durationMs: 0, requestsMin: ASKED_SINGLY })
  await requestLoop(urls.slice(-DISTINCT / 10), { inParallel: IN_PARALLEL, durationMs: WARM_UP_MS })
  return requestLoop(urls, { inParallel: IN_PARALLEL, durationMs: measureMs })
}

/** What one person can cost the others. @returns sentences with the figures */
async function measureBounds(url: string): Promise<readonly string[]> {
  const words = ['noir', 'blanc', 'bleu', 'rose', 'oud', 'amber', 'santal', 'iris', 'cuir', 'vanille']
  const searches = words.flatMap((word) =>
    words.map((other) => `${url}/api/products?limit=24&search=${word}%20${other}`),
  )
  const pages = await askOnce(searches)
  const before = await residentMegabytes(url)
  for (let number = 0; number < 1000; number++)
    await askOnce([`${url}/api/products?limit=500&minPrice=${number / 100}`])
  const after = await residentMegabytes(url)
  const slowestMs = Math.max(...pages.map(({ tookMs }) => tookMs))
  const shed = pages.filter(({ status }) => status === 503).length
  return [
    `100 different searches at once: the last answer is there after ${slowestMs.toFixed(0)} ms, ${shed} of them being refusals under pressure.`,
    `1,000 different questions for 500 products each: the process takes ${before} MB before and ${after} MB after.`,
  ]
}

/** Asks all at the same time. */
function askOnce(urls: readonly string[]): Promise<{ readonly status: number; readonly tookMs: number }[]> {
  return Promise.all(
    urls.map(async (address) => {
      const startedAtMs = performance.now()
      const response = await fetch(address)
      await response.arrayBuffer()
      return { status: response.status, tookMs: performance.now() - startedAtMs }
    }),
  )
}

async function residentMegabytes(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Math.round(Number(/^process_resident_memory_bytes\S* (\S+)/m.exec(metrics)?.[1]) / 1024 / 1024)
}

/** What many different people ask at the same time: no two of them the same, so that every answer is found anew. */
function distinctQuestions(): Question[] {
  const words = ['oud', 'rose', 'amber', 'noir', 'blanc', 'bleu', 'santal', 'musk', 'vanilla', 'iris']
  const brands = ['Creed', 'Amouage', 'Dior', 'Chanel', 'Lattafa', 'Byredo', 'Ajmal', 'Gucci']
  const numbers = Array.from({ length: DISTINCT }, (_, index) => index)
  const both = (
    name: string,
    query: (number: number) => string,
    path = { ours: '?limit=24&', theirs: '/list?page=1&' },
  ): Question => ({
    name,
    ours: numbers.map((number) => `/api/products${path.ours}${query(number)}`),
    theirs: numbers.map((number) => `${path.theirs}${query(number)}`),
    limitMs: 50,
  })
  const facets = { ours: '/facets?', theirs: '/facets?' }
  // Each lower bound is another one: the same page of another result.
  const bound = (number: number) => `minPrice=${(number / 50 + 20).toFixed(2)}`
  return [
    both('all different: lists by price', (number) => `${bound(number)}&sort=price-asc`),
    both('all different: a category and a brand', (number) => {
      return `category=${(number % 4) + 1}&brand=${brands[number % brands.length]}&${bound(number)}`
    }),
    both('all different: searches', (number) => `search=${words[number % words.length]}&${bound(number)}`),
    both('all different: searches by price', (number) => {
      return `search=${words[number % words.length]}&sort=price-asc&${bound(number)}`
    }),
    both('all different: facets', bound, facets),
    both(
      'all different: facets of a search',
      (number) => `search=${words[number % words.length]}&${bound(number)}`,
      facets,
    ),
  ]
}

const addresses = (url: string, paths: string | readonly string[]): string[] => [paths].flat().map((path) => url + path)

/** What the goals are about: from the browser's side of the gateway, different questions first. */
function throughGateway(): Question[] {
  const asGoal = (question: Question | undefined, name: string, limitMs: number): Question[] =>
    question === undefined ? [] : [{ ...question, name: `gateway: ${name}`, limitMs, isThroughGateway: true }]
  const different = new Map(distinctQuestions().map((question) => [question.name, question]))
  const numbers = Array.from({ length: DISTINCT }, (_, number) => number)
  const words = ['noir', 'blanc', 'bleu', 'rose', 'oud', 'amber', 'santal', 'iris', 'cuir', 'vanille', 'creed', 'dior']
  const pairs = words.flatMap((word) => words.map((other) => `search=${word}%20${other}`))
  // Each pair with bounds that differ, so that there are enough of them.
  const twoWords = numbers.map((number) => {
    return `${pairs[number % pairs.length]}&minPrice=${(number / 50 + 20).toFixed(2)}`
  })
  // Whole words, and words of which the last letter is not there yet: so many pairs that what is kept of one is gone when it comes again.
  const houses =
    'chanel givenchy guerlain prada versace burberry hermes armani gucci lattafa rasasi ajmal amouage byredo'
  const typed = [...words, ...houses.split(' ')]
  const beginnings = typed.flatMap((word) => [word, word.slice(0, -1)])
  const everyPair = beginnings.flatMap((word) => beginnings.map((other) => `search=${word}%20${other}`))
  const pairsOnce = numbers.map((number) => `/api/products?limit=24&${everyPair[(number * 7919) % everyPair.length]}`)
  const products = numbers.map((number) => `/api/products/${1 + ((number * 7919) % 20_000)}`)
  // The first pages of all who sell, and then the next ones.
  const shops = numbers.map(
    (number) => `/api/sellers/${1 + (number % 200)}/products?page=${1 + Math.floor(number / 200)}`,
  )
  return [
    ...asGoal(different.get('all different: lists by price'), 'all different: lists by price', 25),
    ...asGoal(
      {
        name: '',
        ours: twoWords.map((query) => `/api/products?limit=24&${query}`),
        theirs: twoWords.map((query) => `/list?page=1&${query.replace('%20', '%25')}`),
        limitMs: 25,
      },
      'all different: two words',
      25,
    ),
    ...asGoal({ name: '', ours: pairsOnce, theirs: null, limitMs: 25 }, 'all different: two words, each pair once', 25),
    ...asGoal({ name: '', ours: products, theirs: null, limitMs: 10 }, 'all different: one product', 10),
    ...asGoal({ name: '', ours: shops, theirs: null, limitMs: 25 }, 'all different: products of a shop', 25),
    ...asGoal({ name: '', ours: '/api/products?limit=24', theirs: '/list?page=1', limitMs: 10 }, 'a list of 24', 10),
    ...asGoal({ name: '', ours: '/api/products/77', theirs: null, limitMs: 10 }, 'one product', 10),
    ...asGoal({ name: '', ours: '/api/sellers/77/products', theirs: null, limitMs: 10 }, 'products of a shop', 10),
    ...asGoal({ name: '', ours: '/api/products/facets', theirs: '/facets?', limitMs: 10 }, 'facets', 10),
  ]
}

/** Nobody sells in this system who has registered; and the other services hear of every product, which would take its time from what is measured. */
async function makeReady(adminUrl: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    const heard = async () => {
      const { rows } = await admin.query(`select count(*)::int as heard from auction.listings`)
      return rows[0]?.heard >= products
    }
    while (!(await heard())) await wait(1000)
    await admin.query(`
      insert into catalogue.known_people (user_id, username, shop_name, is_seller, registered_at)
      select distinct seller_id, 'seller' || seller_id, 'Shop ' || seller_id, true, now() from catalogue.products`)
    await admin.query('vacuum analyze catalogue.products, catalogue.known_people')
  } finally {
    await admin.end()
  }
}

async function cursorOfPage(url: string, page: number): Promise<string> {
  let path = '/api/products?limit=24'
  for (let number = 1; number < page; number++) {
    const response = await fetch(url + path)
    await response.arrayBuffer()
    const next = /<(.+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    if (next === undefined) break
    path = next
  }
  return path
}

function report(
  questions: readonly Question[],
  measured: ReadonlyMap<string, { ours: number[]; theirs: number[]; perS: number[] }>,
  bounds: readonly string[],
): void {
  const middle = (values: readonly number[]) => quantile(values, 0.5)
  const rows = questions.map(({ name, limitMs }) => {
    const { ours = [], theirs = [], perS = [] } = measured.get(name) ?? {}
    const p99 = middle(ours)
    tellFigure({ name: `catalogue: ${name}, p99`, value: p99, unit: 'ms', isMore: false })
    const usual = theirs.length > 0 ? `${middle(theirs).toFixed(0)}` : '-'
    return `| ${name} | ${p99.toFixed(1)} | ${limitMs} | ${p99 <= limitMs ? 'yes' : 'no'} | ${middle(perS).toFixed(0)} | ${usual} |`
  })
  const table = [
    '| | p99, ms | limit | kept | answers/s | offset and count: p99, ms |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  console.log(`\n${table}\n\n${bounds.join('\n')}\n`)
  if (flags.quick || flags.only !== '') return
  const file = join(repositoryRoot, 'infra', 'bench', 'catalogue-results.md')
  const measuredPart = [
    '# The list of products, measured',
    `Written by \`npm run bench:catalogue\`: ${products.toLocaleString('en')} products, ${IN_PARALLEL} requests in parallel over HTTP, median of ${rounds} rounds. The last column is the usual way (\`offset\`, a full count, \`ilike\`) from the same tables, in the same run.`,
    table,
    'In all rows but those that are "all different" every client asks the same at the same time, as with pages that many look at, and an answer of the list is kept for half a second. In the others no two questions are the same.',
    ...bounds,
  ].join('\n\n')
  // What people have written below stays.
  const page = readFileSync(file, 'utf8')
  const below = page.indexOf('\n## ')
  writeFileSync(file, `${measuredPart}\n${below < 0 ? '' : page.slice(below)}`)
  console.log('Written to infra/bench/catalogue-results.md.')
}

await main()
process.exit(0)
