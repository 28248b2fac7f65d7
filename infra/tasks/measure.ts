// npm run tasks [-- --url http://localhost:8080] [-- --pictures some/folder]
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import { type DemoPerson, launchBrowser, type Session, signInAs } from '../rig/demo-browser.ts'
import { openDemoSite } from '../rig/demo-site.ts'
import { demoCalls } from './demo-calls.ts'
import { Hand } from './hand.ts'
import { type Task, tasks } from './tasks.ts'

/*
 * What five people come for, done by script on a site with demo data: how often each has to press something, and how long the site takes. Seconds are those
 * of a machine that does not read or think, so they say what of the time is ours.
 */

const { values: flags } = parseArgs({
  options: {
    /** Of a system that runs with demo data; without one, one is started for this. */
    url: { type: 'string' },
    /** Where a picture of the end of each task goes. */
    pictures: { type: 'string' },
  },
})

const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const
/** The middle one counts. */
const RUNS = 3

interface Measured {
  readonly presses: number
  readonly seconds: number
}

async function main(): Promise<void> {
  const browser = await launchBrowser()
  const site = await openDemoSite(flags.url)
  try {
    if (flags.pictures !== undefined) mkdirSync(flags.pictures, { recursive: true })
    const sessions = new Map<DemoPerson, Session>()
    const sessionOf = async (who: DemoPerson) => {
      const session = sessions.get(who) ?? (await signInAs(browser, site.url, who))
      sessions.set(who, session)
      return session
    }
    console.log('| task | presses | seconds |\n|---|---:|---:|')
    for (const task of tasks) {
      const runs: Measured[] = []
      for (let run = 0; run < RUNS; run += 1) runs.push(await measure(browser, site.url, task, sessionOf))
      const [presses, seconds] = [middleOf(runs.map((run) => run.presses)), middleOf(runs.map((run) => run.seconds))]
      console.log(`| ${task.name} | ${presses} | ${seconds.toFixed(1)} |`)
    }
  } finally {
    await browser.close()
    await site.stop()
  }
}

async function measure(
  browser: Browser,
  url: string,
  { name, who, on, before, does }: Task,
  sessionOf: (who: DemoPerson) => Promise<Session>,
): Promise<Measured> {
  const contexts: BrowserContext[] = []
  const open = async (whose: DemoPerson, viewport = sizes.desk as { width: number; height: number }) => {
    const storageState = await sessionOf(whose)
    const context = await browser.newContext({ baseURL: url, viewport, storageState, locale: 'en-MY' })
    contexts.push(context)
    return context.newPage()
  }
  try {
    const about = await before?.(demoCalls(url))
    const hand = new Hand(await open(who, sizes[on]))
    const others = await open('bala')
    await hand.page.goto('/')
    await hand.page.getByRole('button', { name: 'My Account' }).waitFor()
    const beganMs = performance.now()
    await does(hand, about ?? { name: '' }, async () => others)
    const seconds = (performance.now() - beganMs) / 1000
    if (flags.pictures !== undefined) {
      await hand.page.screenshot({ path: join(flags.pictures, `${name.replaceAll(/\W+/g, '-')}.png`) })
    }
    return { presses: hand.presses, seconds }
  } finally {
    await Promise.all(contexts.map((context) => context.close()))
  }
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

await main()
