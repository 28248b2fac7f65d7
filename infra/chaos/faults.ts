import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import type { CuttingProxy } from '../faults/cutting-proxy.ts'
import type { Random } from '../faults/random.ts'
import type { AuctionRig } from '../rig/auction-rig.ts'

/** What can be broken. */
export interface Site {
  readonly rig: AuctionRig
  /** Between the owners and Postgres. */
  readonly proxy: CuttingProxy
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

  'F6 an owner is replaced gently': async ({ rig }, random) => {
    await random.pick(rig.auctions).restart()
  },

  'F6 the gateway is replaced gently': async ({ rig }) => {
    await rig.gateway.restart()
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

  'F8 an answer of Postgres is lost': async ({ rig, proxy }, random) => {
    // Where nothing is asked just now the next answer is lost, in the middle of whatever comes then.
    await Promise.race([proxy.loseNextAnswer(`${random.pick(rig.auctions).name} writer`), wait(AWAY_MS[0])])
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

  'F17 the gateway is killed': async ({ rig }) => {
    await rig.gateway.kill()
    await rig.gateway.whenReady()
  },

  'F18 followers stall': async ({ rig, auctionIds }, random) => {
    const sockets = await Promise.all(Array.from({ length: STALLED_SOCKETS }, () => openStalled(rig, auctionIds)))
    await wait(random.integer(...AWAY_MS))
    for (const socket of sockets) socket.terminate()
  },
} as const satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

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
