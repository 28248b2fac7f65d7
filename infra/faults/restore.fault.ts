import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { openPool, sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { picture } from '@wangian/kit/testing/pictures.ts'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backUp, listCopies } from '../backup/back-up.ts'
import { restore } from '../backup/restore.ts'
import { repositoryRoot } from '../local/config.ts'
import { printTo } from '../local/log.ts'
import { startPostgres } from '../local/servers/postgres.ts'
import { clusterOf, makeDataDirectory } from '../local/servers/postgres-directory.ts'
import { type System, startSystem } from '../local/system.ts'
import { withDatabase } from '../postgres/roles.ts'
import { type Market, marketAt, PASSWORD, type Trader } from '../rig/market.ts'
import { loggingServices, openReadModels } from './read-models.ts'

const root = mkdtempSync(join(tmpdir(), 'wangian-restore-'))
// Postgres' user has to get to both.
makeDataDirectory(root)
const backupDir = join(root, 'backup')
const BIDS = 20

let system: System
let dirOfSystem: string
let nats: NatsConnection
/** What whoever has started it sees. */
const shown: string[] = []
let market: Market
/** A time after the one that is gone back to first, and what there was. */
const later = { at: new Date(0), counted: {} }

const start = async (name: string) => {
  dirOfSystem = join(root, name)
  system = await startSystem({
    dataDir: dirOfSystem,
    backupDir,
    log: printTo((text) => shown.push(text), false),
    buildsWeb: false,
    rateLimitFactor: 1_000_000,
    environment: { identity: { AUTH_MAILER_AUTOCONFIRM: 'true' } },
  })
  nats = await connectNats({ url: system.natsUrl, name: 'restore-test' })
  market = marketAt(system.url)
}

beforeAll(() => start('before'))

afterAll(async () => {
  await nats?.close()
  await system?.stop()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

/** How many events of each type each log has. */
async function countEvents(url = system.adminDatabaseUrl): Promise<Record<string, number>> {
  const pool = await openPool({ url, applicationName: 'restore-test' })
  const counts: Record<string, number> = {}
  for (const service of loggingServices) {
    const rows = await pool.any(sql.unsafe`
      select type, count(*)::int as count from ${sql.identifier([service, 'events'])} group by type order by type`)
    for (const { type, count } of rows as { type: string; count: number }[]) counts[`${service} ${type}`] = count
  }
  await pool.end()
  return counts
}

/** The same of a data directory that nothing runs with. */
async function countEventsIn(name: string): Promise<Record<string, number>> {
  const postgres = await startPostgres({ dataDir: join(root, name) })
  try {
    return await countEvents(withDatabase(postgres.url, 'wangian'))
  } finally {
    await postgres.stop()
  }
}

async function archiveEverything(): Promise<void> {
  await query('select pg_switch_wal()')
  await eventually(async () => {
    const [{ waiting } = { waiting: 1 }] = await query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_ls_archive_statusdir() where name like '%.ready'`,
    )
    expect(waiting).toBe(0)
  })
}

async function now(): Promise<Date> {
  const [{ at } = { at: new Date(0) }] = await query<{ at: Date }>('select clock_timestamp() as at')
  return at
}

const countBids = async () => (await countEvents())['auction BidPlaced'] ?? 0

/** Every consumer has heard everything, and every table is what the logs say. */
async function expectTablesAsLogsSay(): Promise<void> {
  const models = await openReadModels(system, nats)
  try {
    await models.untilHeard()
    expect(await models.rebuildAll()).toEqual([])
  } finally {
    await models.close()
  }
}

async function query<Row extends object>(statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: system.adminDatabaseUrl })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

async function bidOften(auctionId: number, people: readonly Trader[], from: number): Promise<void> {
  const seats = await Promise.all(people.map((person) => market.sitDown(person)))
  for (let bid = 0; bid < BIDS; bid++) seats[bid % seats.length]?.bid(auctionId, from + bid)
  await eventually(async () => expect((await highest(auctionId)).currentBid).toBe(from + BIDS - 1))
  for (const seat of seats) seat.leave()
}

/** @returns the path of the picture */
async function upload({ token }: Trader): Promise<string> {
  const form = new FormData()
  form.append('image', new Blob([new Uint8Array(await picture())], { type: 'image/jpeg' }), 'me.jpg')
  return `/api/profile-images/${(await market.succeed('POST', '/api/user/avatar', token, form)).profileImage}`
}

/** @returns what the command says */
async function runBackup(dataDir: string): Promise<string> {
  const script = join(repositoryRoot, 'infra/backup/back-up-command.ts')
  const env = { ...process.env, DATA_DIR: dataDir, BACKUP_DIR: backupDir }
  return (await promisify(execFile)(process.execPath, [script], { env })).stdout
}

const highest = async (auctionId: number) => market.succeed('GET', `/api/auctions/${auctionId}`)

describe('a restore', () => {
  it('to a point in time gives what was there then, and people go on', async () => {
    const seller = await market.register('seller')
    const bidder = await market.register('bidder')
    const rival = await market.register('rival')
    const { auctionId, productId } = await market.openAuction(seller)
    await bidOften(auctionId, [bidder, rival], 10)
    const avatar = await upload(seller)
    const copy = await backUp({
      adminUrl: system.adminDatabaseUrl,
      dataDir: join(root, 'before'),
      backupDir,
    })
    expect(existsSync(join(copy.directory, 'cluster', 'backup_label'))).toBe(true)

    // After the copy, before the time that is gone back to: only in what was archived.
    await bidOften(auctionId, [bidder, rival], 100)
    const kept = await market.list(seller, { name: 'Kept' })
    const counted = await countEvents()
    const at = await now()

    // Afterwards: gone.
    await bidOften(auctionId, [bidder, rival], 200)
    const lost = await market.list(seller, { name: 'Lost' })
    const latecomer = await market.register('latecomer')
    expect(await countBids()).toBeGreaterThan(counted['auction BidPlaced'] ?? 0)
    await backUp({ adminUrl: system.adminDatabaseUrl, dataDir: dirOfSystem, backupDir })
    later.counted = await countEvents()
    later.at = await now()
    await market.list(seller, { name: 'Too late for both' })
    await archiveEverything()
    await nats.close()
    await system.stop()

    await restore({ backupDir, dataDir: join(root, 'after'), until: at })
    // The worst case: JetStream has all that is not in the logs any more.
    cpSync(join(root, 'before', 'nats'), join(root, 'after', 'nats'), { recursive: true })
    await start('after')
    expect(await countEvents()).toEqual(counted)
    await expectTablesAsLogsSay()
    expect((await highest(auctionId)).currentBid).toBe(100 + BIDS - 1)
    expect((await market.call('GET', `/api/products/${kept}`)).status).toBe(200)
    expect((await market.call('GET', `/api/products/${lost}`)).status).toBe(404)

    expect((await market.call('GET', avatar)).status).toBe(200)

    // Tokens from before count no more, and nobody gets the id of who is gone.
    expect((await market.call('GET', '/api/v1/auth/me', seller.token)).status).toBe(401)
    expect((await market.call('GET', '/api/v1/auth/me', latecomer.token)).status).toBe(401)
    const back = await market.signIn('seller@example.com', PASSWORD)
    expect(back.userId).toBe(seller.userId)
    const newcomer = await market.register('newcomer')
    expect(newcomer.userId).toBeGreaterThan(latecomer.userId)

    const again = await Promise.all([market.signIn('bidder@example.com'), market.signIn('rival@example.com')])
    await bidOften(auctionId, again, 300)
    expect(await market.list(back, { name: 'New' })).toBeGreaterThan(lost)
    await market.succeed('PUT', `/api/favorites/${productId}`, newcomer.token)
    await expectTablesAsLogsSay()
    expect(await countBids()).toBeGreaterThan(counted['auction BidPlaced'] ?? 0)
  })

  it('to a later time than the one before finds what that one left out', async () => {
    await restore({ backupDir, dataDir: join(root, 'later'), until: later.at })
    expect(await countEventsIn('later')).toEqual(later.counted)
  })

  it('of everything that was archived has what was written since a rehearsal', async () => {
    const archived = () => readdirSync(join(backupDir, 'wal')).filter((name) => name.endsWith('.history'))
    const before = archived()
    const said: string[] = []
    await archiveEverything()
    await restore({ backupDir, dataDir: join(root, 'rehearsal'), until: null, log: (line) => said.push(line) })
    expect(archived()).toEqual(before)
    expect(said.at(-1)).toMatch(/^The last transaction that was read is of 20/)
    await market.list(await market.signIn('seller@example.com'), { name: 'Since the rehearsal' })
    const counted = await countEvents()
    expect(await countEventsIn('rehearsal')).not.toEqual(counted)
    await nats.close()
    await system.stop()
    await restore({ backupDir, dataDir: join(root, 'newest'), until: null })
    await start('newest')
    expect(await countEvents()).toEqual(counted)
    await expectTablesAsLogsSay()
  })

  it('needs a backup of one database alone', async () => {
    const secrets = () => readFileSync(join(backupDir, 'secrets.json'), 'utf8')
    const before = [secrets(), readdirSync(join(backupDir, 'copies'))]
    const misspelt = join(root, 'misspelt')
    await expect(runBackup(misspelt)).rejects.toThrow(`DATA_DIR=${misspelt} has no database. Set DATA_DIR`)
    expect(existsSync(misspelt)).toBe(false)

    const other = join(root, 'other')
    const postgres = await startPostgres({ dataDir: other })
    await postgres.stop()
    await expect(runBackup(other)).rejects.toThrow('is the backup of another database')
    const unused = join(root, 'unused')
    await expect(startSystem({ dataDir: unused, backupDir, buildsWeb: false })).rejects.toThrow(
      'is the backup of another database',
    )
    // One that breaks off leaves no part of a copy.
    const odd = join(clusterOf(dirOfSystem), 'odd')
    symlinkSync(root, odd)
    await expect(runBackup(dirOfSystem)).rejects.toThrow('neither a file nor a folder')
    rmSync(odd)
    expect([secrets(), readdirSync(join(backupDir, 'copies'))]).toEqual(before)
    expect(await runBackup(dirOfSystem)).toContain('is whole')
  })

  it('needs a backup that Postgres can archive to', async () => {
    const wal = join(backupDir, 'wal')
    chmodSync(wal, 0o500)
    await query('select pg_switch_wal()')
    await eventually(() => expect(shown.join('\n')).toMatch(/cp: .*denied.*LOG: {2}archive command failed/s))
    await expect(runBackup(dirOfSystem)).rejects.toThrow(`Postgres cannot archive to ${wal}: it failed with 0000000`)
    chmodSync(wal, 0o700)
  })

  it('is refused where nothing could come of it', async () => {
    const early = new Date('2026-01-01T00:00:00Z')
    await expect(restore({ backupDir, dataDir: join(root, 'x'), until: early })).rejects.toThrow(/nothing before that/)
    await expect(restore({ backupDir, dataDir: join(root, 'before'), until: null })).rejects.toThrow(
      /a database already/,
    )
    const late = new Date(Date.now() + 3_600_000)
    await expect(restore({ backupDir, dataDir: join(root, 'x'), until: late })).rejects.toThrow(/ends before/)
    expect(existsSync(join(root, 'x', 'postgres'))).toBe(false)
    // What cannot be written, as on a full disk, leaves nothing that forbids the next try.
    const inTheWay = listCopies(backupDir).map(({ directory }) => join(directory, 'cluster', 'recovery.signal'))
    for (const path of inTheWay) mkdirSync(path)
    await expect(restore({ backupDir, dataDir: join(root, 'x'), until: null })).rejects.toThrow('EISDIR')
    for (const path of inTheWay) rmdirSync(path)
    expect(existsSync(join(root, 'x', 'postgres'))).toBe(false)
    await expect(restore({ backupDir: join(root, 'y'), dataDir: join(root, 'x'), until: null })).rejects.toThrow(
      /no copy/,
    )
  })
})
