/** What a developer or CI may give the journeys; everything is optional. */
interface JourneyConfig {
  /** A running system with demo data, and with `ANALYTICS_ID`, to use instead of a fresh one. */
  readonly systemUrl: string | undefined
  /** A data directory with demo data, of which a fresh system begins with a copy. */
  readonly demoData: string | undefined
  /** Of that system, for what no call of it can bring about. */
  readonly messagingDatabaseUrl: string | undefined
  /** The administrator's of that system, for journeys through time. */
  readonly adminDatabaseUrl: string | undefined
  readonly chromiumPath: string
}

/** On a slow machine that two halves share, the script of a page may take more than ten seconds to come and run. `toPass` has to be told. */
export const EXPECT_WITHIN_MS = 20_000

/** Reads the environment; an empty variable counts as absent. */
export function readJourneyConfig(): JourneyConfig {
  const { E2E_URL, E2E_DEMO_DATA, E2E_MESSAGING_DATABASE_URL, E2E_ADMIN_DATABASE_URL, CHROMIUM_PATH } = process.env
  return {
    systemUrl: E2E_URL || undefined,
    demoData: E2E_DEMO_DATA || undefined,
    messagingDatabaseUrl: E2E_MESSAGING_DATABASE_URL || undefined,
    adminDatabaseUrl: E2E_ADMIN_DATABASE_URL || undefined,
    chromiumPath: CHROMIUM_PATH || '/usr/bin/chromium',
  }
}

/** Tells the workers where the system is: Playwright forks them after the set-up, with this environment. */
export function announceSystem(system: { url: string; messagingDatabaseUrl: string; adminDatabaseUrl: string }): void {
  const { url, messagingDatabaseUrl, adminDatabaseUrl } = system
  process.env['E2E_URL'] = url
  process.env['E2E_MESSAGING_DATABASE_URL'] = messagingDatabaseUrl
  process.env['E2E_ADMIN_DATABASE_URL'] = adminDatabaseUrl
}
