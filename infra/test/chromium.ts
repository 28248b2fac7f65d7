import { accessSync, constants } from 'node:fs'
import { basename, join } from 'node:path'
import { run } from './child.ts'
import { rootDirectory, type TestConfig } from './config.ts'

/** Chromium without its own windows: a page costs a fifth of the processor time that it costs with them. */
const shell = 'chromium-headless-shell'
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
const INSTALL_TIMEOUT_MS = 5 * 60_000
/** When there is a browser already, nobody waits long for the lighter one. */
const REPLACE_TIMEOUT_MS = 60_000

/**
 * The path of a Chromium that can be executed, or `null`; the shell comes first, wherever it is on the PATH. A path given by CHROMIUM_PATH is
 * the only one tried.
 */
export function findChromium(config: Pick<TestConfig, 'chromiumPath' | 'searchPath'>): string | null {
  const { chromiumPath, searchPath } = config
  if (chromiumPath !== undefined) return isExecutable(chromiumPath) ? chromiumPath : null
  const inPath = (name: string) => searchPath.map((folder) => join(folder, name))
  const others = searchPath.flatMap((folder) => names.map((name) => join(folder, name)))
  return [...inPath(shell), ...others, ...applications].find(isExecutable) ?? null
}

/** Its path, or the reason why there is none, in words for the person at the terminal. */
export type FoundChromium = { readonly path: string } | { readonly missing: string }

/**
 * Finds Chromium, or installs Debian's shell when we are root; one with windows will do when that fails. The fonts come with it, because
 * without any font every text has the width of nothing and a layout test says nothing.
 */
export async function ensureChromium(config: TestConfig): Promise<FoundChromium> {
  const found = findChromium(config)
  if (config.chromiumPath !== undefined && found === null) {
    return { missing: `CHROMIUM_PATH is ${config.chromiumPath}, which cannot be executed.` }
  }
  if (found !== null && (config.chromiumPath !== undefined || basename(found) === shell)) return { path: found }
  const problem = await installShell(config, found === null ? INSTALL_TIMEOUT_MS : REPLACE_TIMEOUT_MS)
  const path = findChromium(config)
  if (path !== null) return { path }
  return {
    missing:
      `${problem ?? 'apt-get installed no Chromium that we can find.'} Install Chromium or Google Chrome and run npm test again, or set ` +
      `CHROMIUM_PATH to one. On Debian and Ubuntu: sudo apt-get install ${shell} fonts-noto-core`,
  }
}

/** @returns why it was not installed */
async function installShell(config: TestConfig, timeoutMs: number): Promise<string | null> {
  const aptGet = config.searchPath.map((folder) => join(folder, 'apt-get')).find(isExecutable)
  if (aptGet === undefined || process.getuid?.() !== 0) return 'No Chromium was found.'
  for (const args of [
    ['update'],
    ['install', '-y', '--no-install-recommends', '--no-remove', shell, 'fonts-noto-core'],
  ]) {
    const outcome = await run({
      label: 'browser',
      program: aptGet,
      args,
      cwd: rootDirectory,
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs,
      output: 'on-failure',
    })
    if (!outcome.ok) return `apt-get ${args[0]} failed (${outcome.reason}).`
  }
  return null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
