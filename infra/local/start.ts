import { collectOnceQuiet } from '@wangian/kit/service/quiet-memory.ts'
import { loadConfig } from './config.ts'
import { printTo } from './log.ts'
import { killAllGuarded } from './processes/guarded-process.ts'
import { startSystem } from './system.ts'

/** One Ctrl-C can arrive more than once: from the terminal, from npm, and from what started us for npm. */
const sameSignalMs = 500

const stopRequest = new AbortController()
let stopRequestedAt: number | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, requestStop)
// The terminal may be gone before us; that must not keep us from stopping in order.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

try {
  await run()
} catch (error) {
  if (!stopRequest.signal.aborted) {
    console.error(`\nWangian could not start.\n${(error as Error).message}`)
    process.exit(1)
  }
}
process.exit(0)

async function run(): Promise<void> {
  const { isColoured, ...config } = loadConfig()
  const system = await startSystem({
    ...config,
    log: printTo((text) => process.stdout.write(text), isColoured),
    isWatching: process.argv.includes('--dev'),
    signal: stopRequest.signal,
  })
  console.log(`Wangian is ready at ${config.publicUrl ?? system.url}`)
  if (system.inboxUrl) console.log(`Mails are not sent but shown at ${system.inboxUrl}`)
  for (const line of demoAccounts(system.seeded)) console.log(line)
  collectOnceQuiet()
  const stopRequested = new Promise<void>((resolve) => {
    if (stopRequest.signal.aborted) resolve()
    stopRequest.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const taken = await (system.databaseTaken ? Promise.race([stopRequested, system.databaseTaken]) : stopRequested)
  if (taken) console.error(taken.message)
  await system.stop()
  if (taken) process.exit(1)
}

function requestStop(): void {
  if (stopRequestedAt === undefined) {
    stopRequestedAt = Date.now()
    console.log('Stopping … (Ctrl-C again to force)')
    stopRequest.abort(new Error('stopped'))
  } else if (Date.now() - stopRequestedAt > sameSignalMs) {
    killAllGuarded()
    process.exit(1)
  }
}

function demoAccounts(seeded: unknown): string[] {
  const { accounts = [] } = (seeded ?? {}) as { accounts?: readonly { email: string; password: string }[] }
  if (accounts.length === 0) return []
  return ['Demo accounts:', ...accounts.map(({ email, password }) => `  ${email}  ${password}`)]
}
