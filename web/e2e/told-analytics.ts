import type { BrowserContext } from '@playwright/test'
import { type AnalyticsEventName, analyticsEvents } from '../src/lib/analytics-events.ts'
import { anonymousParameters } from '../src/lib/anonymous.ts'

/** What analytics is told. */
export interface ToldEvent {
  readonly name: AnalyticsEventName
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Listens in the place of a tag to what the pages of a browser tell, which nobody is asked about there. In order, and as it comes. */
export async function listenToAnalytics(context: BrowserContext, told: ToldEvent[]): Promise<void> {
  await context.exposeBinding(
    'tellJourney',
    (_source, name: AnalyticsEventName, parameters: ToldEvent['parameters']) => {
      // As it would leave the browser.
      told.push({ name, parameters: anonymousParameters(parameters) })
    },
  )
  await context.addInitScript(() => {
    const { tellJourney } = window as unknown as { tellJourney: (name: unknown, parameters: unknown) => Promise<void> }
    window.gtag = (command, name, parameters) => {
      if (command === 'event') void tellJourney(name, parameters)
    }
  })
}

/** What is told and not in the table of events, or is about a person. */
export function problemsOf(told: readonly ToldEvent[]): string[] {
  return told.flatMap(({ name, parameters }) => {
    const words = `${name} ${JSON.stringify(parameters)}`
    const rule = analyticsEvents[name]
    if (!rule) return [`${words}: no such event`]
    const { error } = rule.safeParse(parameters)
    const isPersonal = /[\w.+-]+(@|%40)[\w-]+\.\w+|eyJ[\w-]+\./.test(words)
    return [...(error ? [`${words}: ${error.message}`] : []), ...(isPersonal ? [`${words}: is about a person`] : [])]
  })
}
