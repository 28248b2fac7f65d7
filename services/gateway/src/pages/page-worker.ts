import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Language } from '@wangian/contracts/languages.ts'
import { FairGate, type FairGateLimits } from '@wangian/kit/fair-gate.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import { escapeHtml } from '@wangian/kit/http/html.ts'

/** What the thread is started with. */
export interface PageWorkerData {
  /** The file that the web app has for it. */
  readonly rendererFile: string
  /** Where services are, by the first two segments of the paths that they serve: `/api/products`. */
  readonly origins: Readonly<Record<string, readonly string[]>>
}

export interface PageJob {
  readonly id: number
  /** The path of the page with its query. */
  readonly address: string
  /** Of whoever asked first. What is read and rendered is their share; nothing in the page depends on it. */
  readonly clientAddress: string
  readonly language: Language
  /** The page with its head, and nothing in its root. */
  readonly shell: string
  /** What it is known to read; what else it reads shows when it is rendered. */
  readonly reads: readonly string[]
}

/** `html` is `null` where something was not to be had, and the browser had better ask itself. */
export interface PageOutcome {
  readonly id: number
  readonly html: Uint8Array | null
  readonly brotli: Uint8Array | null
}

/** An answer of a service, as `prerender.tsx` of the web app takes it. */
interface ServedAnswer {
  readonly text: string
  readonly body: unknown
  readonly total: string | null
  readonly link: string | null
}

type RenderPage = (page: {
  readonly address: string
  readonly language: Language
  readonly answers: Readonly<Record<string, ServedAnswer>>
  readonly renderedAtMs: number
}) => Promise<{ readonly html: string; readonly head: string; readonly missing: readonly string[] }>

/** What a page reads shows what it reads next; no page is deeper than that. */
const PASSES_MAX = 3
const READS_MAX = 8
const READ_TIMEOUT_MS = 500
const BROTLI_QUALITY = 5

/** As many wait as pages are under way. Turns are enough: whoever is alone may have all the time there is. */
const RENDERING: FairGateLimits = {
  runningMax: 1,
  runningPerKeyMax: 1,
  waitingPerKeyMax: Number.POSITIVE_INFINITY,
  waitingMax: Number.POSITIVE_INFINITY,
  burstMs: Number.POSITIVE_INFINITY,
  msPerS: 1_000,
}

/** Asks as a guest, for a client: the same page is shown to everybody. */
function startRendering(port: MessagePort, { rendererFile, origins }: PageWorkerData): void {
  const renderer = import(pathToFileURL(rendererFile).href) as Promise<{ renderPage: RenderPage }>
  const gate = new FairGate(RENDERING)

  /**
   * One after the other, of one client and then of another, and idle between them for as long as each took: half a processor is left to those who bid,
   * however many pages are asked for.
   */
  function inTurn<Result>(clientAddress: string, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const workAndRest = async () => {
        const startedMs = performance.now()
        await work().then(resolve, reject)
        await wait(performance.now() - startedMs)
      }
      gate.run(addressKey(clientAddress), workAndRest).catch(reject)
    })
  }

  async function read(address: string, { clientAddress, language }: PageJob): Promise<readonly [string, ServedAnswer]> {
    const [path = ''] = address.split('?')
    const urls = origins[path.split('/').slice(0, 3).join('/')] ?? []
    const first = Math.floor(Math.random() * urls.length)
    let failure: unknown
    for (const url of [...urls.slice(first), ...urls.slice(0, first)]) {
      try {
        const response = await fetch(new URL(address, url), {
          headers: { accept: 'application/json', 'accept-language': language, 'x-forwarded-for': clientAddress },
          signal: AbortSignal.timeout(READ_TIMEOUT_MS),
        })
        if (response.status !== 200) throw new Error(`${address} was answered with ${response.status}`)
        const text = await response.text()
        const { headers } = response
        return [
          address,
          { text, body: JSON.parse(text), total: headers.get('x-total-count'), link: headers.get('link') },
        ]
      } catch (error) {
        failure = error
      }
    }
    throw new Error(`${address} cannot be read`, { cause: failure })
  }

  async function render(job: PageJob): Promise<Omit<PageOutcome, 'id'>> {
    const { address, clientAddress, language, shell, reads } = job
    const { renderPage } = await renderer
    let answers: Readonly<Record<string, ServedAnswer>> = {}
    let missing = reads
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      if (missing.length > READS_MAX) break
      const found = await Promise.all(missing.map((each) => read(each, job)))
      answers = { ...answers, ...Object.fromEntries(found) }
      const whole = await inTurn(clientAddress, async () => {
        const renderedAtMs = Date.now()
        const page = await renderPage({ address, language, answers, renderedAtMs })
        missing = page.missing
        if (missing.length > 0) return null
        const html = Buffer.from(fill(shell, { address, renderedAtMs, answers, ...page }))
        const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
        return { html, brotli: brotliCompressSync(html, { params }) }
      })
      if (whole !== null) return whole
    }
    return { html: null, brotli: null }
  }

  port.on('message', (job: PageJob) => {
    void render(job)
      .catch(() => ({ html: null, brotli: null }))
      .then((outcome) => port.postMessage({ id: job.id, ...outcome } satisfies PageOutcome))
  })
}

/** As `fetch` would ask for it; what came with the page needs no such request. */
const requestsOfData = /[ \t]*<link rel="preload"[^>]* as="fetch"[^>]*>\n?/g

function fill(
  shell: string,
  page: {
    readonly address: string
    readonly renderedAtMs: number
    readonly answers: Readonly<Record<string, ServedAnswer>>
    readonly html: string
    readonly head: string
  },
): string {
  const path = escapeHtml(new URL(page.address, 'http://localhost').pathname)
  const root = `<div id="root" data-prerendered="${path}" data-rendered-at="${page.renderedAtMs}">${page.html}</div>`
  return (
    shell
      .replace(requestsOfData, '')
      // What is there already does not wait for scripts, and its pictures should not either.
      .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
      .replace('</head>', () => `${page.head}\n  </head>`)
      .replace('<div id="root"></div>', () => `${root}\n    ${dataOf(page.answers)}`)
  )
}

/** Data in a page: no text in it can end the element. */
function dataOf(answers: Readonly<Record<string, ServedAnswer>>): string {
  const entries = Object.entries(answers).map(
    ([address, { text, total, link }]) =>
      `${JSON.stringify(address)}:{"total":${JSON.stringify(total)},"link":${JSON.stringify(link)},"body":${text}}`,
  )
  return `<script type="application/json" id="served">{${entries.join(',').replaceAll('<', '\\u003c')}}</script>`
}

if (parentPort !== null) startRendering(parentPort, workerData as PageWorkerData)
