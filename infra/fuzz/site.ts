import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { languages, pageFileOf, pageTemplates } from '@wangian/contracts/languages.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { auctionOf, listing, type World } from '../access/access-matrix.ts'
import { accountsAt, type SignedIn } from '../access/accounts.ts'
import type { Cast } from '../access/people.ts'
import { type System, startSystem } from '../local/system.ts'

/** What everybody is asked as, guests without a token. */
export const callers = ['guest', 'buyer', 'owner', 'admin'] as const
export type FuzzCaller = (typeof callers)[number]

/** Everything that a fuzzer needs of a running system. */
export interface FuzzSite {
  readonly url: string
  readonly system: System
  readonly tokens: Readonly<Record<FuzzCaller, string | null>>
  /** The auth provider's own token of somebody who plays no other part. */
  readonly providerToken: string
  /** Things of the owner's to ask about; the same ones for some time, as each costs a few calls. */
  readonly world: World
  /** An auction that goes on, and its seller. */
  readonly auction: { readonly id: number; readonly sellerId: number }
  /** What the services have said at the level `error`, or of a bug, since the start. */
  readonly complaints: readonly string[]
  /** After a collection of garbage, in bytes, by process. */
  measureMemory(): Promise<ReadonlyMap<string, Memory>>
  /** @throws unless each process is the one that was started, and ready */
  requireHealth(): Promise<void>
  stop(): Promise<void>
}

export interface Memory {
  readonly heapBytes: number
  readonly rssBytes: number
}

/** Of how many calls a thing is made anew: calls change what they are about, and delete it. */
const CALLS_PER_THING = 25
const COLLECTOR = pathToFileURL(join(import.meta.dirname, 'collect-garbage.mjs')).href

/** Starts the whole system with the demo's accounts, nothing on the shelf and limits that nobody meets. */
export async function startFuzzSite(): Promise<FuzzSite> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wangian-fuzz-'))
  const complaints: string[] = []
  const collected = new Map<string, number>()
  const log = (source: string, line: string) => {
    if (/"level":"(error|fatal)"|by a bug/.test(line)) complaints.push(`${source}: ${line}`)
    const heap = /^heap after collection: (\d+)$/.exec(line)
    if (heap !== null) collected.set(source, Number(heap[1]))
  }
  const removeData = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', removeData)
  const webDist = join(dataDir, 'web')
  mkdirSync(webDist)
  for (const page of pageTemplates) {
    for (const language of languages) writeFileSync(join(webDist, pageFileOf(page, language)), '<title>Wangian</title>')
  }
  let system: System
  try {
    system = await startSystem({
      dataDir,
      buildsWeb: false,
      rateLimitFactor: 1_000_000,
      log,
      environment: {
        identity: { SEED: 'demo' },
        gateway: { WEB_DIST: webDist },
        '*': { NODE_OPTIONS: `--expose-gc --import ${COLLECTOR}` },
      },
    })
  } catch (error) {
    removeData()
    throw error
  }
  const stop = async () => {
    await system.stop()
    process.off('exit', removeData)
    removeData()
  }
  try {
    const people = await gatherPeople(system.url)
    const pids = new Map([...system.services.values()].map((service) => [service.name, service.pid]))
    const world = worldOf(system.url, people)
    const { auctionId } = await worldOf(system.url, people).auction()
    return {
      url: system.url,
      system,
      tokens: {
        guest: null,
        buyer: people.buyer.token,
        owner: people.owner.token,
        admin: people.admin.token,
      },
      providerToken: people.bystander.providerToken,
      world,
      auction: { id: auctionId, sellerId: people.owner.id },
      complaints,
      measureMemory: () => measureMemory(system, collected),
      requireHealth: () => requireHealth(system, pids),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type People = Readonly<Record<keyof Cast['ids'] | 'bystander', SignedIn>>

async function gatherPeople(url: string): Promise<People> {
  const { signIn } = accountsAt(url)
  const [buyer, bystander, other, owner, admin] = await Promise.all([
    signIn('bala@wangian.test', 'demo-buyer'),
    signIn('mei@wangian.test', 'demo-buyer'),
    signIn('hafiz@wangian.test', 'demo-seller'),
    signIn('sarah@wangian.test', 'demo-seller'),
    signIn('admin@wangian.test', 'demo-admin'),
  ])
  return { buyer, bystander, 'other seller': other, owner, admin }
}

/** What the owner makes, kept for some calls. */
function worldOf(url: string, people: People): World {
  const make = async (path: string, body: unknown): Promise<number> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${people.owner.token}` },
      body: JSON.stringify(body),
    })
    const made = (await response.json()) as { id: number }
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(made)}`)
    return made.id
  }
  const { createProduct, registerImage } = routesByService.catalogue
  const product = kept(() => make(createProduct.path, listing))
  const { id: owner } = people.owner
  const { id: other } = people['other seller']
  return {
    // What an administrator does to a buyer is done to somebody in whose name nothing is asked: who is banned asks nothing any more.
    cast: { ids: { buyer: other, 'other seller': other, owner, admin: people.admin.id } },
    product,
    auction: kept(async () => {
      const productId = await make(createProduct.path, listing)
      return { productId, auctionId: await make(routesByService.auction.createAuction.path, auctionOf(productId)) }
    }),
    image: kept(async () => {
      const productId = await make(createProduct.path, listing)
      return {
        productId,
        imageId: await make(registerImage.path, { productId, imageUrl: randomUUID(), imageOrder: 0 }),
      }
    }),
  }
}

function kept<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let thing: Promise<Thing> | undefined
  let calls = 0
  return () => {
    if (calls++ % CALLS_PER_THING === 0) thing = undefined
    thing ??= make()
    return thing
  }
}

async function measureMemory(system: System, collected: Map<string, number>): Promise<ReadonlyMap<string, Memory>> {
  collected.clear()
  for (const { pid } of system.services.values()) if (pid !== undefined) process.kill(pid, 'SIGUSR2')
  const deadlineMs = performance.now() + 20_000
  while (collected.size < system.services.size) {
    if (performance.now() > deadlineMs) throw new Error('a process did not collect its garbage in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return new Map(
    [...system.services.values()].map(({ name, pid }) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const rssBytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
      return [name, { heapBytes: collected.get(name) ?? 0, rssBytes }]
    }),
  )
}

async function requireHealth(system: System, pids: ReadonlyMap<string, number | undefined>): Promise<void> {
  for (const service of system.services.values()) {
    if (service.pid !== pids.get(service.name) || service.restarts > 0) throw new Error(`${service.name} was restarted`)
    const response = await fetch(`${service.url}/readyz`)
    if (response.status !== 200) throw new Error(`${service.name} is not ready: ${await response.text()}`)
  }
}
