import { type ScriptPlan, scriptPlans } from './scripts.ts'

const names = scriptPlans.map(({ script }) => script)
const usage = `Usage: npm run load [-- script …]
  scripts: ${names.join(', ')}; all of them when none is given
  by environment: BASE_URL, BIDDERS, WATCHERS, AUCTIONS, RATE (bids/s), DURATION_S, ACCEPT_P95_MS, LAG_P95_MS,
  RATE_LIMIT_FACTOR, OUT_DIR; infra/load/README.md says what they mean`

/** Sizes that replace each script's own. */
export type Sizes = { readonly [Size in Exclude<keyof ScriptPlan, 'script'>]: number | undefined }

/** Reads the command line of `npm run load`: the scripts to run, in their usual order. */
export function parseScripts(argv: readonly string[]): readonly ScriptPlan[] | { readonly usage: string } {
  const asked = argv.map((argument) => argument.replace(/\.js$/, ''))
  const unknown = asked.find((name) => !names.includes(name))
  if (unknown !== undefined)
    return { usage: unknown.startsWith('-') ? usage : `There is no script ${unknown}\n${usage}` }
  return asked.length === 0 ? scriptPlans : scriptPlans.filter(({ script }) => asked.includes(script))
}

/** The plan with the sizes that were given. One hot auction stays one. */
export function sized(plan: ScriptPlan, sizes: Sizes): ScriptPlan {
  return {
    script: plan.script,
    bidders: sizes.bidders ?? plan.bidders,
    watchers: sizes.watchers ?? plan.watchers,
    auctions: plan.auctions > 1 ? (sizes.auctions ?? plan.auctions) : 1,
    ratePerS: sizes.ratePerS ?? plan.ratePerS,
  }
}
