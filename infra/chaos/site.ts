import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CuttingProxy, startCuttingProxy } from '../faults/cutting-proxy.ts'
import { type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'

/** Between a process and the server that it needs. */
export interface Proxies {
  /** Between the owners and Postgres. */
  readonly database: CuttingProxy
  /** Between the gateway and NATS. */
  readonly gatewayBus: CuttingProxy
}

/** The disk that Postgres and NATS write to, which has an end. */
export interface SmallDisk {
  /** Leaves no byte free until the returned function is called. People go on bidding meanwhile. */
  fill(): Promise<() => Promise<void>>
}

/** The wall clock of the owners; that which only counts on is not moved. */
export interface OwnersClock {
  /** @param shiftS how far it is from ours, seconds */
  shift(shiftS: number): void
}

/** A rig of which everything can be broken. What this machine does not allow is `null`. */
export interface ChaosRig {
  readonly rig: AuctionRig
  readonly proxies: Proxies
  readonly disk: SmallDisk | null
  readonly clock: OwnersClock | null
  stop(): Promise<void>
}

const DISK_MB = 1200
const MB = 1024 * 1024
/** Small, so that a full disk is felt soon: what Postgres keeps for reuse it can still write to. */
const postgresSettings = { min_wal_size: '32MB', max_wal_size: '64MB' }
/** Where Debian has it, for both kinds of processors that it is made for. */
const FAKETIME = ['x86_64', 'aarch64'].map((kind) => `/usr/lib/${kind}-linux-gnu/faketime/libfaketime.so.1`)

/** Starts the rig, on a disk in memory that can be filled where we are root, and with owners whose clock can be moved where libfaketime is. */
export async function startChaosRig(owners: number): Promise<ChaosRig> {
  const directory = mkdtempSync(join(tmpdir(), 'wangian-chaos-'))
  const disk = mountSmallDisk(directory)
  const proxies: CuttingProxy[] = []
  const route = async (port: number) => {
    const proxy = await startCuttingProxy(port)
    proxies.push(proxy)
    return proxy.port
  }
  const removeDirectory = () => {
    if (disk !== null) execFileSync('umount', ['--lazy', directory])
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const rig = await startAuctionRig({
      auctionInstances: owners,
      routeDatabase: route,
      routeGatewayBus: route,
      ...(disk !== null && { parentDirectory: directory, postgresSettings }),
    })
    const [first, second] = proxies
    if (first === undefined || second === undefined) throw new Error('there are two proxies')
    const isDatabase = new URL(rig.auctionDatabaseUrl).port === String(first.port)
    const [database, gatewayBus] = isDatabase ? [first, second] : [second, first]
    return {
      rig,
      proxies: { database, gatewayBus },
      disk,
      clock: await takeClock(rig),
      async stop() {
        await rig.stop()
        for (const proxy of proxies) await proxy.stop()
        removeDirectory()
      },
    }
  } catch (error) {
    removeDirectory()
    throw error
  }
}

function mountSmallDisk(directory: string): SmallDisk | null {
  if (process.getuid?.() !== 0) return null
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=0755`, 'wangian-chaos', directory])
  } catch {
    // A container may be root and mount nothing all the same.
    return null
  }
  const filler = join(directory, 'filler')
  return {
    async fill() {
      const file = await open(filler, 'w')
      try {
        // Down to the last page.
        for (const size of [16 * MB, MB, 4096]) await writeUntilFull(file, Buffer.alloc(size))
      } finally {
        await file.close()
      }
      return () => rm(filler)
    },
  }
}

async function writeUntilFull(file: FileHandle, bytes: Buffer): Promise<void> {
  try {
    for (;;) {
      const { bytesWritten } = await file.write(bytes)
      if (bytesWritten < bytes.length) return
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

/** Has the owners start again under a clock of ours. */
async function takeClock(rig: AuctionRig): Promise<OwnersClock | null> {
  const library = FAKETIME.find((path) => existsSync(path))
  if (library === undefined) return null
  const directory = mkdtempSync(join(tmpdir(), 'wangian-clock-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'shift')
  const shift = (shiftS: number) => writeFileSync(file, `${shiftS < 0 ? '' : '+'}${shiftS}\n`)
  shift(0)
  for (const owner of rig.auctions) {
    Object.assign(owner.environment, {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    await owner.restart()
  }
  return { shift }
}
