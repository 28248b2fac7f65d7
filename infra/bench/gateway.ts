// npm run bench:gateway [-- --products 5000] [--rounds 5]
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startAuctionRig } from '../rig/auction-rig.ts'
import { tellFigure } from './figures.ts'
import { generateProducts } from './generated-products.ts'
import { requestLoop } from './request-loop.ts'
import { median, quantile, Samples } from './statistics.ts'

/*
 * What the way through the gateway costs: the same questions to the catalogue itself and through the gateway, in turn, 20 at a time. Answers that the
 * catalogue has at hand show it most, for all the rest is the gateway's.
 */

const { values: flags } = parseArgs({
  options: { products: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '5' } },
})
const IN_PARALLEL = 20
const WARM_UP_MS = 500
const MEASURE_MS = 3000
const goals = { '/api/categories': 5000, '/api/products?limit=24': 4000, '/api/products/1': 4000 } as const
const P99_GOAL_MS = 10

const rig = await startAuctionRig({ hasCatalogue: true })
try {
  if (rig.catalogue === null) throw new Error('the rig was asked for a catalogue')
  await generateProducts(rig.catalogue.databaseUrl, rig.natsUrl, Number(flags.products))
  const ways = { 'the service itself': rig.catalogue.url, 'through the gateway': rig.gatewayUrl }
  const [rates, p99s] = [new Samples(), new Samples()]
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const path of Object.keys(goals)) {
      for (const [way, url] of Object.entries(ways)) {
        const urls = [url + path]
        await requestLoop(urls, { inParallel: IN_PARALLEL, durationMs: WARM_UP_MS })
        const tookMs = await requestLoop(urls, { inParallel: IN_PARALLEL, durationMs: MEASURE_MS })
        rates.add(path + way, (tookMs.length / MEASURE_MS) * 1000)
        p99s.add(path + way, quantile(tookMs, 0.99))
        await wait(WARM_UP_MS)
      }
    }
  }
  console.log(`\n| | ${Object.keys(ways).join(' | ')} | goal |\n|---|---|---|---|`)
  for (const [path, goal] of Object.entries(goals)) {
    const cells = Object.keys(ways).map((way) => {
      const [rate, p99] = [median(rates.of(path + way)), median(p99s.of(path + way))]
      tellFigure({ name: `gateway: ${path}, ${way}`, value: rate, unit: '/s', isMore: true })
      tellFigure({ name: `gateway: ${path}, ${way}, p99`, value: p99, unit: 'ms', isMore: false })
      return `${Math.round(rate).toLocaleString('en')}/s, p99 ${p99.toFixed(1)} ms`
    })
    console.log(`| \`${path}\` | ${cells.join(' | ')} | ${goal.toLocaleString('en')}/s, p99 ${P99_GOAL_MS} ms |`)
  }
} finally {
  await rig.stop()
}
