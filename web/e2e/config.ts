/** What a developer or CI may give the journeys; everything is optional. */
interface JourneyConfig {
  /** A running system with demo data to use instead of a fresh one. */
  readonly systemUrl: string | undefined
  readonly chromiumPath: string
}

/** Reads the environment; an empty variable counts as absent. */
export function readJourneyConfig(): JourneyConfig {
  const { E2E_URL, CHROMIUM_PATH } = process.env
  return { systemUrl: E2E_URL || undefined, chromiumPath: CHROMIUM_PATH || '/usr/bin/chromium' }
}

/** Tells the workers where the system is: Playwright forks them after the set-up, with this environment. */
export function announceSystem(url: string): void {
  process.env['E2E_URL'] = url
}
