/** The oldest nats-server that is supported; it is what Debian 12 has, and the tests run on it. */
export const natsVersionMin = '2.9.10'

/** The nats-server that is fetched when there is none; the tests run on it too. */
export const natsVersionCurrent = '2.14.9'

/** Compares two versions of three numbers. What follows the numbers is ignored; what is no version is older than any. */
export function isAtLeast(version: string, wanted: string): boolean {
  const found = numbersOf(version)
  const least = numbersOf(wanted)
  const difference = least.map((number, index) => (found[index] ?? -1) - number).find((step) => step !== 0) ?? 0
  return difference >= 0
}

function numbersOf(version: string): number[] {
  return (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? '').split('.').filter(Boolean).map(Number)
}
