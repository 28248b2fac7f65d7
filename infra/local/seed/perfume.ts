import { pick, randomFrom } from './bottle/random.ts'
import type { BottleFacts, BottleLook } from './bottle.ts'
import { type House, houses } from './houses.ts'

/** A listing of the demo. Prices are ringgit. */
export interface Perfume extends PerfumeOfCategory {
  readonly categoryId: number
}

/** A perfume in the list of its category. */
export interface PerfumeOfCategory {
  readonly house: House
  readonly name: string
  readonly seller: string
  readonly type: 'fixed' | 'negotiable' | 'auction'
  readonly price: number
  readonly volumeMl: number
  /** As the label has it; eau de parfum unless it says something else. */
  readonly concentration?: string
  readonly fullnessPercent: number
  readonly year: number | null
  readonly batch: string | null
  readonly box: 'Good' | 'Damaged' | 'No Box'
  readonly isNew?: boolean
  readonly stock?: number
  readonly description: string
  readonly juice: string
  readonly look?: Partial<BottleLook>
  /** For auctions; `price` is where it starts. */
  readonly auction?: DemoAuction
}

export interface DemoAuction {
  readonly incrementRinggit: number
  readonly reserve?: number
  readonly buyNow?: number
  readonly minutes: number
  /** Opens later than the listing. */
  readonly startsInMinutes?: number
  /** How many times the demo buyers outbid each other right after it opens. */
  readonly bidCount: number
}

/** What the bottle itself says and shows. */
export function factsOf(perfume: Perfume): BottleFacts {
  const { house, name, volumeMl, fullnessPercent, concentration = 'eau de parfum' } = perfume
  return { house, name, volumeMl, fullnessPercent, concentration }
}

/** How the bottle looks: the house's way, the perfume's own colour, and a place that suits it, the same every time. */
export function lookOf(perfume: Perfume): BottleLook {
  const random = randomFrom(`${perfume.name} by ${perfume.house}`)
  return {
    ...houses[perfume.house],
    juice: perfume.juice,
    scene: pick(random, ['cove', 'window', 'arch', 'cove', 'plinth', 'panel', 'window']),
    mood: pick(random, ['pale', 'pale', 'pale', 'mid']),
    ...perfume.look,
  }
}
