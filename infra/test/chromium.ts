import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { run } from './child.ts'
import { rootDirectory, type TestConfig } from './config.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
const INSTALL_TIMEOUT_MS = 5 * 60_000

/** The path of a Chromium that can be executed, or `null`. A path given by CHROMIUM_PATH is the only one tried. */
export function findChromium(config: Pick<TestConfig, 'chromiumPath' | 'searchPath'>): string | null {
  const candidates =
    config.chromiumPath === undefined
      ? [...config.searchPath.flatMap((folder) => names.map((name) => join(folder, name))), ...applications]
      : [config.chromiumPath]
  return candidates.find(isExecutable) ?? null
}

/**
 * Finds Chromium, or installs Debian's when we are root. The fonts come with it, because without any font every text
 * has the width of nothing and a layout test says nothing.
 * @returns its path, or the reason why there is none, in words for the person at the terminal
 */
export async function ensureChromium(config: TestConfig): Promise<{ path: string } | { missing: string }> {
  const found = findChromium(config)
  if (found !== null) return { path: found }
  if (config.chromiumPath !== undefined) {
    return { missing: `CHROMIUM_PATH is ${config.chromiumPath}, which cannot be executed.` }
  }
  const advice =
    'Install Chromium or Google Chrome and run npm test again, or set CHROMIUM_PATH to one. ' +
    'On Debian and Ubuntu: sudo apt-get install chromium fonts-noto-core'
  const aptGet = config.searchPath.map((folder) => join(folder, 'apt-get')).find(isExecutable)
  if (aptGet === undefined || process.getuid?.() !== 0) return { missing: `No Chromium was found. ${advice}` }

  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-noto-core']]) {
    const outcome = await run({
      label: 'browser',
      program: aptGet,
      args,
      cwd: rootDirectory,
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: INSTALL_TIMEOUT_MS,
      output: 'on-failure',
    })
    if (!outcome.ok) return { missing: `apt-get ${args[0]} failed (${outcome.reason}). ${advice}` }
  }
  const installed = findChromium(config)
  return installed === null
    ? { missing: `apt-get installed no Chromium that we can find. ${advice}` }
    : { path: installed }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
