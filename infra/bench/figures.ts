import { appendFileSync } from 'node:fs'
import { figuresFile } from './config.ts'

/** Something that a bench has measured. */
export interface Figure {
  /** The same in each run, whatever was found. */
  readonly name: string
  readonly value: number
  readonly unit: 'ms' | 's' | '/s' | 'x' | '%'
  /** Whether more is better. */
  readonly isMore: boolean
}

/** Tells whoever runs all benches (`all.ts`). What was not measured is not told. */
export function tellFigure(figure: Figure): void {
  const file = figuresFile()
  if (file !== undefined && Number.isFinite(figure.value)) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

/** By name, the values of the last runs that were kept, the newest last. */
export type Kept = Readonly<Record<string, readonly number[]>>

export interface Compared extends Figure {
  /** What is compared with: the last value that was kept. */
  readonly before: number | undefined
  readonly verdict: 'new' | 'as before' | 'better' | 'worse'
}

/** So many runs tell how far figures differ without a reason; with fewer, twice as much is allowed. */
const RUNS_KEPT = 5
const RUNS_TO_KNOW_NOISE = 3
const MARGIN = 0.25
/** Less than noise. */
const DIGITS_KEPT = 4

/** Each figure beside the kept ones. It is worse when it is beyond the worst of them by a quarter, and better beyond the best of them by as much. */
export function compare(figures: readonly Figure[], kept: Kept): Compared[] {
  return figures.map((figure) => {
    const { name, value, isMore } = figure
    const values = kept[name] ?? []
    const before = values.at(-1)
    if (before === undefined) return { ...figure, before, verdict: 'new' }
    const factor = 1 + (values.length < RUNS_TO_KNOW_NOISE ? 2 * MARGIN : MARGIN)
    const [low, high] = [Math.min(...values) / factor, Math.max(...values) * factor]
    const verdict =
      value < low ? (isMore ? 'worse' : 'better') : value > high ? (isMore ? 'better' : 'worse') : 'as before'
    return { ...figure, before, verdict }
  })
}

/** With these figures added, and those forgotten that are older than the last runs. What was not measured now stays. */
export function keep(figures: readonly Figure[], kept: Kept): Kept {
  const added = figures.map(({ name, value }) => {
    const values = [...(kept[name] ?? []), Number(value.toPrecision(DIGITS_KEPT))]
    return [name, values.slice(-RUNS_KEPT)] as const
  })
  return { ...kept, ...Object.fromEntries(added) }
}

/** As JSON with a line for each figure, so that a change shows which ones were kept. */
export function keptText(kept: Kept): string {
  const lines = Object.entries(kept).map(([name, values]) => `  ${JSON.stringify(name)}: [${values.join(', ')}]`)
  return `{\n${lines.join(',\n')}\n}\n`
}
