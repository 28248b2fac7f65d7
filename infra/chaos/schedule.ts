import { type Random, seededRandom } from '../faults/random.ts'

/** What happens in one round: faults one after the other, each after a while in which nothing is broken. */
export interface Round<Name> {
  readonly seed: number
  readonly steps: readonly Step<Name>[]
}

interface Step<Name> {
  readonly quietMs: number
  readonly fault: Name
  /** Of what the fault leaves to chance. */
  readonly seed: number
}

const STEPS = [6, 10] as const
/** About a quarter of the time nothing is broken; mostly faults follow each other closely. */
const SHORT_MS = [0, 800] as const
const LONG_MS = [2_000, 5_000] as const
const LONG_SHARE = 0.25

/**
 * The rounds of a run. Each draws from all faults once before any comes again, so that a short run has seen most.
 * @param seed the same one gives the same rounds
 */
export function* rounds<Name>(names: readonly Name[], seed: number): Generator<Round<Name>, never> {
  const random = seededRandom(seed)
  let left: Name[] = []
  for (let number = 0; ; number += 1) {
    const steps: Step<Name>[] = []
    for (let count = random.integer(...STEPS); count > 0; count -= 1) {
      if (left.length === 0) left = shuffled(names, random)
      const fault = left.pop() as Name
      const [shortest, longest] = random.isTrue(LONG_SHARE) ? LONG_MS : SHORT_MS
      const quietMs = random.integer(shortest, longest)
      steps.push({ quietMs, fault, seed: random.integer(0, 0x7fff_ffff) })
    }
    yield { seed: seed * 1000 + number, steps }
  }
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const order = [...items]
  for (let end = order.length - 1; end > 0; end -= 1) {
    const other = random.integer(0, end)
    ;[order[end], order[other]] = [order[other] as Item, order[end] as Item]
  }
  return order
}
