import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres } from './servers/postgres.ts'

/** Runs `npm run rebuild`, or another command, with these arguments. */
function rebuild(args: readonly string[], environment: NodeJS.ProcessEnv, command = 'rebuild.ts') {
  const script = fileURLToPath(new URL(command, import.meta.url))
  return spawnSync(process.execPath, [script, ...args], { env: { ...process.env, ...environment }, encoding: 'utf8' })
}

it('says what keeps a command from running, and nothing else', () => {
  const { status, stderr } = rebuild(['catalogue'], { DATABASE_URL: 'mysql://db/wangian' })
  expect(status).toBe(1)
  expect(stderr).toMatch(/DATABASE_URL: must be an address such as/)
  expect(stderr).not.toMatch(/ at .*service-command/)
})

it('makes no database where DATA_DIR is mistaken', () => {
  const dataDir = join(tmpdir(), 'wangian-mistaken')
  const { status, stderr } = rebuild(['identity'], { DATA_DIR: dataDir })
  expect(stderr).toBe(
    `DATA_DIR=${dataDir} has no database. Set DATA_DIR to the folder that Wangian was started with.\n`,
  )
  expect(status).toBe(1)
  expect(existsSync(dataDir)).toBe(false)
})

describe('in production', () => {
  let dataDir: string
  let production: NodeJS.ProcessEnv
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'wangian-command-'))
    // The user who runs Postgres when we are root has to get in.
    chmodSync(dataDir, 0o755)
    const postgres = await startPostgres({ dataDir })
    await postgres.stop()
    production = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://wangian.example.com',
      SMTP_URL: 'smtps://wangian:a-long-password@mail.example.com',
      DATA_DIR: dataDir,
    }
  })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  it('runs a command with what a start has, though no NATS runs', () => {
    const { status, stderr } = rebuild(['identity', 'nothing'], production)
    expect(stderr).toBe('identity has no nothing; it has users\n')
    expect(status).toBe(2)
  })

  it('lists nothing that is made up', () => {
    const { status, stderr } = rebuild(['--products', '3'], production, 'seed-products.ts')
    expect(stderr).toBe('Made-up bottles are not for production.\n')
    expect(status).toBe(64)
  })
})
