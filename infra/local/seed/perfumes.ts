import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Count = z.int().positive()

const DemoAuction = z.strictObject({
  incrementRinggit: Count,
  reserve: Count.optional(),
  buyNow: Count.optional(),
  /** How long it runs; tests have shorter ones. */
  minutes: z.number().positive(),
  /** Opens later than the listing. */
  startsInMinutes: Count.optional(),
  /** How many times the demo buyers outbid each other right after it opens. */
  bidCount: z.int().nonnegative(),
})
export type DemoAuction = z.infer<typeof DemoAuction>

/** A listing of the demo. Prices are ringgit. What the catalogue's form limits, the catalogue checks. */
const Perfume = z.strictObject({
  house: z.string(),
  name: z.string(),
  categoryId: z.int(),
  description: z.string(),
  /** A file in `pictures`. */
  picture: z.string(),
  seller: z.string(),
  type: z.enum(['fixed', 'negotiable', 'auction']),
  price: z.number(),
  volumeMl: Count,
  fullnessPercent: Count,
  year: z.int().nullable(),
  batch: z.string().nullable(),
  box: z.enum(['Good', 'Damaged', 'No Box']),
  isNew: z.boolean().default(false),
  stock: Count.default(1),
  /** For auctions; `price` is where it starts. */
  auction: DemoAuction.optional(),
})
export type Perfume = z.infer<typeof Perfume>

const file = join(import.meta.dirname, 'perfumes.json')

/** All demo listings, mixed by category as a real shelf is; the first ones are listed last and so shown first. */
export const perfumes: readonly Perfume[] = z.array(Perfume).parse(JSON.parse(readFileSync(file, 'utf8')))

/** Where the perfume's picture is: WebP, 1200 by 1500 pixels. */
export function picturePath(perfume: Perfume): string {
  return join(import.meta.dirname, 'pictures', perfume.picture)
}

/** @throws when this machine's clock is before what the demo says happened, which nothing takes then. `nowMs`: epoch ms */
export function requireTimeOf(shelf: readonly Perfume[], nowMs: number): void {
  const lastYear = Math.max(...shelf.map(({ year }) => year ?? 0))
  const now = new Date(nowMs)
  if (now.getUTCFullYear() >= lastYear) return
  throw new Error(
    `The clock of this machine says ${now.toISOString().slice(0, 10)}, and the demo has perfumes that were bought in ${lastYear}. ` +
      'Set the clock, or start with SEED=none.',
  )
}
