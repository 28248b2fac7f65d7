import { Worker } from 'node:worker_threads'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { LRUCache } from 'lru-cache'
import { KeyedCounts } from '../limits.ts'
import type { PageJob, PageOutcome, PageWorkerData } from './page-worker.ts'

/** A page is worth waiting this long for; then the browser renders it, and the next visitor gets what has been rendered. */
const PATIENCE_MS = 400
/** What takes longer than this never ends. */
const STUCK_MS = 5_000
const RESTART_PAUSE_MS = 1_000
/** More than can be rendered in the time that anybody waits. */
const UNDER_WAY_MAX = 16
/** Of one client, so that there is room for others. */
const UNDER_WAY_PER_CLIENT_MAX = 4
/** What stands in a page may be this old; the browser reads it again when it has taken the page over. */
const FRESH_MS = 2_000
const KEPT_BYTES_MAX = 16 * 1024 * 1024
const ADDRESS_LENGTH_MAX = 1_000
const HEAP_MAX_MB = 128

export type PageToRender = Omit<PageJob, 'id'>

/** A whole page, for everybody alike; the second time by Brotli. */
export interface RenderedPage {
  readonly html: Uint8Array
  readonly brotli: Uint8Array
}

/**
 * Renders pages on a thread of their own, which never holds up those who bid: it takes half a processor at most, a bounded memory, and so many pages
 * at a time, fewer of one client. Whoever asks for more, or for what takes too long, gets the page that renders itself in the browser. Guests all see
 * the same, so that a page is kept for a moment.
 */
export class PageRenderer {
  readonly #data: PageWorkerData
  readonly #log: Pick<Logger, 'warn'>
  readonly #pages = new LRUCache<string, RenderedPage>({
    maxSize: KEPT_BYTES_MAX,
    ttl: FRESH_MS,
    sizeCalculation: ({ html, brotli }) => html.length + brotli.length,
  })
  readonly #underWay = new Map<string, Promise<RenderedPage | null>>()
  readonly #underWayOfClients: KeyedCounts
  readonly #jobs = new Map<number, (page: RenderedPage | null) => void>()
  #worker: Worker | undefined
  #endedAtMs = Number.NEGATIVE_INFINITY
  #lastId = 0
  #isStopped = false

  /** @param options.rateLimitFactor how many times more than in production one client may have */
  constructor(
    data: PageWorkerData,
    { log, rateLimitFactor }: { readonly log: Pick<Logger, 'warn'>; readonly rateLimitFactor: number },
  ) {
    this.#data = data
    this.#log = log
    this.#underWayOfClients = new KeyedCounts(UNDER_WAY_PER_CLIENT_MAX * rateLimitFactor)
    this.#start()
  }

  /** @returns `null` for a page that the browser has to render */
  async render(page: PageToRender): Promise<RenderedPage | null> {
    if (page.address.length > ADDRESS_LENGTH_MAX) return null
    const key = `${page.language} ${page.address}`
    const known = this.#pages.get(key)
    if (known !== undefined) return known
    let rendering = this.#underWay.get(key)
    if (rendering === undefined) {
      const client = addressKey(page.clientAddress)
      if (this.#underWay.size >= UNDER_WAY_MAX || !this.#underWayOfClients.acquire(client)) return null
      rendering = this.#ask(page).then((rendered) => {
        this.#underWay.delete(key)
        this.#underWayOfClients.release(client)
        if (rendered !== null) this.#pages.set(key, rendered)
        return rendered
      })
      this.#underWay.set(key, rendering)
    }
    return await inTime(rendering)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#worker?.terminate()
  }

  #ask(page: PageToRender): Promise<RenderedPage | null> {
    const worker = this.#worker ?? this.#start()
    if (worker === undefined) return Promise.resolve(null)
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve) => {
      const stuck = setTimeout(() => {
        this.#log.warn({ path: page.address.split('?')[0] }, 'a page is never rendered; its thread is ended')
        void worker.terminate()
      }, STUCK_MS)
      this.#jobs.set(id, (rendered) => {
        clearTimeout(stuck)
        this.#jobs.delete(id)
        resolve(rendered)
      })
      worker.postMessage({ ...page, id } satisfies PageJob)
    })
  }

  #start(): Worker | undefined {
    if (this.#isStopped || performance.now() - this.#endedAtMs < RESTART_PAUSE_MS) return undefined
    const worker = new Worker(new URL('./page-worker.ts', import.meta.url), {
      name: 'pages',
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
    })
    this.#worker = worker
    worker.unref()
    worker.on('message', ({ id, html, brotli }: PageOutcome) => {
      this.#jobs.get(id)?.(html === null || brotli === null ? null : { html, brotli })
    })
    worker.on('error', (error) => this.#log.warn({ err: error }, 'pages are not rendered for a moment'))
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
      this.#endedAtMs = performance.now()
      for (const end of [...this.#jobs.values()]) end(null)
    })
    return worker
  }
}

async function inTime<Value>(awaited: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, null)
  })
  try {
    return await Promise.race([awaited, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
