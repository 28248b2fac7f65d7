import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import type { Random } from '../faults/random.ts'
import type { AuctionProcess, AuctionRig } from '../rig/auction-rig.ts'
import type { ChaosRig } from './site.ts'

/** What can be broken. */
export interface Site extends ChaosRig {
  /** The auctions that are bid on. */
  readonly auctionIds: readonly number[]
}

/** Something that breaks, and is whole again when it resolves. The names are those of the table of faults. */
export type Fault = (site: Site, random: Random) => Promise<void>

/** How long something is away or paused, ms. A lease lives 1.5 s. */
const AWAY_MS = [500, 4_000] as const
const LOCKED_MS = [500, 3_000] as const
const CUTS_MAX = 10
const STALLED_SOCKETS = 50
/** What a disk that is in trouble takes for each answer, ms, and for how long. */
const SLOW_ANSWER_MS = 200
const SLOW_FOR_MS = [1_500, 4_000] as const
const JUMP_S = 3_600
/** A batch holds what came while the last one was written: with people who bid all the time, so many are a second or two. */
const BATCH_OF_DEATH = [20, 60] as const
const DIES_WITHIN_MS = 30_000
/** In place of some hundred MB. */
const LITTLE_MEMORY_MB = 64
const BUSY_PROCESSES = 4

export const faults = {
  'F1 an owner is killed': async ({ rig }, random) => {
    const owner = random.pick(rig.auctions)
    await owner.kill()
    await owner.whenReady()
  },

  'F2 an owner is paused for longer than its lease': async ({ rig }, random) => {
    const owner = random.pick(rig.auctions)
    owner.pause()
    try {
      await wait(random.integer(2_000, AWAY_MS[1]))
    } finally {
      owner.resume()
    }
    // One that wakes up in time goes on; one that finds itself replaced ends and is started again.
    await owner.whenReady()
  },

  'F3 an owner dies between its commit and its answers': (site, random) => dieAround('after_commit', site, random),

  'F4 an owner dies before its commit': (site, random) => dieAround('before_commit', site, random),

  'F6 an owner is replaced gently': async ({ rig }, random) => {
    await random.pick(rig.auctions).restart()
  },

  'F6 the gateway is replaced gently': async ({ rig }) => {
    await rig.gateway.restart()
  },

  'F6 every process is replaced gently, one after the other': async ({ rig }) => {
    for (const process of [...rig.auctions, rig.auctionPages, rig.gateway]) await process.restart()
  },

  'F7 Postgres crashes': async ({ rig }) => {
    await rig.postgres.kill('SIGQUIT')
    await rig.postgres.start()
  },

  'F8 connections to Postgres are cut': async ({ rig }, random) => {
    const admin = new Client({ connectionString: rig.adminDatabaseUrl })
    await admin.connect()
    try {
      for (let cuts = random.integer(1, CUTS_MAX); cuts > 0; cuts -= 1) {
        const pattern = random.isTrue(0.7) ? 'auction-% writer' : 'auction%'
        await admin.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where application_name like $1 and pid <> pg_backend_pid()',
          [pattern],
        )
        await wait(random.integer(0, 200))
      }
    } finally {
      await admin.end()
    }
  },

  'F8 an answer of Postgres is lost': async ({ rig, proxies }, random) => {
    // Where nothing is asked just now the next answer is lost, in the middle of whatever comes then.
    await Promise.race([proxies.database.loseNextAnswer(`${random.pick(rig.auctions).name} writer`), wait(AWAY_MS[0])])
  },

  'F9 the log is locked': async ({ rig }, random) => {
    const admin = new Client({ connectionString: rig.adminDatabaseUrl })
    await admin.connect()
    try {
      await admin.query('begin')
      await admin.query('lock table auction.events in access exclusive mode')
      await wait(random.integer(...LOCKED_MS))
    } finally {
      await admin.end()
    }
  },

  'F9 Postgres is slow': async ({ proxies }, random) => {
    const untilMs = performance.now() + random.integer(...SLOW_FOR_MS)
    while (performance.now() < untilMs) {
      const release = proxies.database.hold('answers')
      await wait(SLOW_ANSWER_MS)
      release()
      await wait(1)
    }
  },

  'F10 the disk is full': async ({ rig, disk }, random) => {
    if (disk === null) throw new Error('this machine has no disk that may be filled')
    const free = await disk.fill()
    await wait(random.integer(...AWAY_MS))
    await free()
    // A nats-server that could not write has turned JetStream off until it is started again, which is its operator's to do.
    await rig.nats.restart()
    await rig.postgres.whenReady()
  },

  'F11 all connections to Postgres are taken': async ({ rig }, random) => {
    const taken: Client[] = []
    try {
      await takeAllConnections(rig, taken)
      await wait(random.integer(...AWAY_MS))
    } finally {
      await Promise.all(taken.map((client) => client.end()))
    }
  },

  'F12 NATS is killed': async ({ rig }, random) => {
    await rig.nats.kill()
    if (random.isTrue(0.5)) {
      await rig.nats.stop()
      await wait(random.integer(...AWAY_MS))
    }
    await rig.nats.start()
  },

  'F13 the store of NATS is lost': async ({ rig }) => {
    await rig.nats.kill()
    await rig.nats.stop()
    rmSync(rig.nats.storeDirectory, { recursive: true })
    await rig.nats.start()
  },

  'F12 NATS is paused': async ({ rig }, random) => {
    rig.nats.pause()
    await wait(random.integer(...AWAY_MS))
    rig.nats.resume()
  },

  'F16 an owner reaches Postgres, and hears nothing of it': (site, random) => partOwner('answers', site, random),

  'F16 an owner hears of Postgres, and does not reach it': (site, random) => partOwner('questions', site, random),

  'F17 the gateway and NATS are parted': async ({ proxies }, random) => {
    const releases = (['questions', 'answers'] as const).map((direction) => proxies.gatewayBus.hold(direction))
    await wait(random.integer(...AWAY_MS))
    for (const release of releases) release()
  },

  'F17 the gateway is killed': async ({ rig }) => {
    await rig.gateway.kill()
    await rig.gateway.whenReady()
  },

  'F18 followers stall': async ({ rig, auctionIds }, random) => {
    const sockets = await Promise.all(Array.from({ length: STALLED_SOCKETS }, () => openStalled(rig, auctionIds)))
    await wait(random.integer(...AWAY_MS))
    for (const socket of sockets) socket.terminate()
  },

  'F19 the clock of the owners jumps': async ({ clock }, random) => {
    clock?.shift(random.isTrue(0.5) ? JUMP_S : -JUMP_S)
    await wait(random.integer(2_000, AWAY_MS[1]))
    clock?.shift(0)
  },

  'F25 an owner has little memory': async ({ rig }, random) => {
    const owner = random.pick(rig.auctions)
    await restartWith(owner, { NODE_OPTIONS: `--max-old-space-size=${LITTLE_MEMORY_MB}` })
    await wait(random.integer(...AWAY_MS))
    await owner.restart()
  },

  'F25 something else takes the processors': async (_site, random) => {
    const busy = Array.from({ length: BUSY_PROCESSES }, () => spawn('sh', ['-c', 'while :; do :; done']))
    await wait(random.integer(...AWAY_MS))
    for (const process of busy) process.kill('SIGKILL')
  },
} as const satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

/** The faults that this machine allows. */
export function isPossible(name: FaultName, { disk, clock }: ChaosRig): boolean {
  if (name.startsWith('F10 ')) return disk !== null
  if (name.startsWith('F19 ')) return clock !== null
  return true
}

/** Starts a process again with more in its environment, of this one start only. */
async function restartWith(owner: AuctionProcess, environment: Readonly<Record<string, string>>): Promise<void> {
  Object.assign(owner.environment, environment)
  try {
    await owner.restart()
  } finally {
    for (const name of Object.keys(environment)) delete owner.environment[name]
  }
}

async function dieAround(where: 'before_commit' | 'after_commit', { rig }: Site, random: Random): Promise<void> {
  const owner = random.pick(rig.auctions)
  await restartWith(owner, { FAILPOINT: `${where}:${random.integer(...BATCH_OF_DEATH)}` })
  // An owner commits its leases where nobody bids, so it comes to that batch in any case.
  const death = await Promise.race([owner.exited, wait(DIES_WITHIN_MS, null, { ref: false })])
  if (death === null) throw new Error(`${owner.name} did not die ${where}`)
  await owner.whenReady()
}

async function partOwner(direction: 'questions' | 'answers', { rig, proxies }: Site, random: Random): Promise<void> {
  const owner = random.pick(rig.auctions)
  const release = proxies.database.hold(direction, owner.name)
  await wait(random.integer(...AWAY_MS))
  release()
  await owner.whenReady()
}

/** Takes what is free, has the owners lose theirs, and takes those as well. */
async function takeAllConnections(rig: AuctionRig, taken: Client[]): Promise<void> {
  const take = async () => {
    const client = new Client({ connectionString: rig.auctionDatabaseUrl, application_name: 'greedy' })
    client.on('error', () => {})
    await client.connect()
    taken.push(client)
  }
  const untilRefused = async () => {
    while (
      await take().then(
        () => true,
        () => false,
      )
    );
  }
  await untilRefused()
  const admin = new Client({ connectionString: rig.adminDatabaseUrl })
  await admin.connect()
  try {
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'auction%'`)
  } finally {
    await admin.end()
  }
  await untilRefused()
}

/** A socket that asks to be shown auctions and takes nothing of it. */
async function openStalled(rig: AuctionRig, auctionIds: readonly number[]): Promise<WebSocket> {
  const socket = new WebSocket(rig.socketUrl)
  // One that cannot be opened, or is closed for what it does, has stalled enough.
  socket.on('error', () => {})
  await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => {})
  if (socket.readyState !== WebSocket.OPEN) return socket
  for (const auctionId of auctionIds) socket.send(JSON.stringify({ type: 'joinAuction', auctionId, userId: 'guest' }))
  socket.pause()
  return socket
}
