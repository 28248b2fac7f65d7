import { parseArgs } from 'node:util'

const stages = ['check', 'vitest', 'browser'] as const
export type Stage = (typeof stages)[number]

const usage = `Usage: npm test -- [--only=check|vitest|browser] [vitest filters]
  --only    run these stages only; may be given several times or separated by commas
  filters   file names for vitest, as in: npm test -- services/auction
            everything after a second -- goes to vitest as it is: npm test -- -- services/auction -t "closes"`

export interface RunOptions {
  readonly stages: readonly Stage[]
  readonly vitestFilters: readonly string[]
}

/** Reads the command line of `npm test`. Filters without `--only` mean vitest alone. */
export function parseRunOptions(argv: readonly string[]): RunOptions | { readonly usage: string } {
  const end = argv.indexOf('--')
  const own = end === -1 ? argv : argv.slice(0, end)
  const passedOn = end === -1 ? [] : argv.slice(end + 1)
  let parsed: { values: { only?: string[] }; positionals: string[] }
  try {
    parsed = parseArgs({
      args: [...own],
      options: { only: { type: 'string', multiple: true } },
      allowPositionals: true,
    })
  } catch (error) {
    return { usage: `${(error as Error).message}\n${usage}` }
  }
  const vitestFilters = [...parsed.positionals, ...passedOn]
  const asked = (parsed.values.only ?? []).flatMap((value) => value.split(','))
  const unknown = asked.find((name) => !stages.includes(name as Stage))
  if (unknown !== undefined) return { usage: `There is no stage ${unknown}\n${usage}` }
  if (asked.length > 0) return { stages: asked as Stage[], vitestFilters }
  return { stages: vitestFilters.length > 0 ? ['vitest'] : stages, vitestFilters }
}
