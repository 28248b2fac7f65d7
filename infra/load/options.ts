import { parseArgs } from 'node:util'
import { type ScriptPlan, scriptPlans } from './scripts.ts'
import type { Sizes } from './summary.ts'

const names = scriptPlans.map(({ script }) => script)
const usage = `Usage: npm run load [-- script … [--minutes N]]
  scripts: ${names.join(', ')}; all but soak when none is given
  by environment: BASE_URL, DURATION_S, PROCESSES, BIDDERS, WATCHERS, AUCTIONS, RATE (bids/s), VISITORS, PAGES (a second), PAIRS,
  DEALS and BOOSTS (a minute), ACCEPT_P95_MS, LAG_P95_MS, PAGE_P95_MS, MESSAGE_P95_MS, STEP_P95_MS, RATE_LIMIT_FACTOR, OUT_DIR,
  MAILPIT_URL, DISTURBED;
  infra/load/README.md says what they mean`

/** Sizes that replace each script's own. */
export type GivenSizes = { readonly [Size in keyof Sizes]: number | undefined }

/** What the command line asks for. */
export interface Asked {
  /** The scripts to run, in their usual order. */
  readonly plans: readonly ScriptPlan[]
  /** How long each goes on, when that is said here and not by DURATION_S. */
  readonly durationS: number | undefined
}

/** Reads the command line of `npm run load` and `npm run soak`. */
export function parseScripts(argv: readonly string[]): Asked | { readonly usage: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { minutes: { type: 'string' } },
      allowPositionals: true,
    })
    const unknown = positionals.find((name) => !names.includes(name))
    if (unknown !== undefined) return { usage: `There is no script ${unknown}\n${usage}` }
    const durationS = values.minutes === undefined ? undefined : Number(values.minutes) * 60
    if (durationS !== undefined && !(durationS >= 1)) return { usage }
    const isAsked = ({ script, isUsual }: ScriptPlan) =>
      positionals.length === 0 ? isUsual : positionals.includes(script)
    return { plans: scriptPlans.filter(isAsked), durationS }
  } catch {
    // An option that there is not.
    return { usage }
  }
}

/** The plan with the sizes that were given. One hot auction stays one, and what a script does not do it is not given, but watchers of its bids. */
export function sized(plan: ScriptPlan, sizes: GivenSizes): ScriptPlan {
  const entries = Object.entries(sizes) as [keyof Sizes, number | undefined][]
  const given = entries.filter(([size, value]) => {
    if (value === undefined) return false
    if (size === 'auctions') return plan.auctions > 1
    return plan[size] > 0 || (size === 'watchers' && plan.bidders > 0)
  })
  return { ...plan, ...Object.fromEntries(given) }
}
