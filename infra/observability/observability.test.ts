import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../local/config.ts'
import { type System, startSystem } from '../local/system.ts'

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const alerts = read('infra/observability/alerts.yml')
const dashboards = ['overview', 'auction', 'bus', 'http'].map(
  (name) => `infra/observability/grafana/dashboards/${name}.json`,
)
const METRIC = /\b(?:wangian|http_request|process|nodejs)_[a-z0-9_]+/g

const dataDir = mkdtempSync(join(tmpdir(), 'wangian-observability-'))
let system: System
/** What is said by whom, by the name of the process. */
const said = new Map<string, string>()

beforeAll(async () => {
  const metricsPort = await findFreePort()
  system = await startSystem({
    dataDir,
    buildsWeb: false,
    environment: { gateway: { METRICS_PORT: String(metricsPort) } },
  })
  for (const { name, url } of system.services.values()) {
    const address = name === 'gateway' ? `http://127.0.0.1:${metricsPort}` : url
    said.set(name, await (await fetch(`${address}/metrics`)).text())
  }
}, 120_000)

afterAll(async () => {
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

/** The names of the series of these texts, with those that a histogram has. */
function namesIn(texts: Iterable<string>): Set<string> {
  const names = new Set<string>()
  for (const text of texts) {
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
      names.add(name)
      if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`)
    }
  }
  return names
}

const namedBy = (text: string) => [...new Set(text.match(METRIC) ?? [])]

describe('the metrics of a running system', () => {
  it.each(['infra/observability/alerts.yml', ...dashboards])('hold everything that %s asks for', (path) => {
    const names = namesIn(said.values())
    const asked = namedBy(read(path))
    expect(asked.length).toBeGreaterThan(1)
    expect(asked.filter((name) => !names.has(name))).toEqual([])
  })

  it('begin with 0 where an alert waits for a first time, or the overview says that all is well', () => {
    const stats = JSON.parse(read('infra/observability/grafana/dashboards/overview.json')).panels.filter(
      ({ type }: { type: string }) => type === 'stat',
    )
    const asked = [...alerts.matchAll(/increase\((\w+)/g)].map(([, name = '']) => name)
    asked.push(...namedBy(JSON.stringify(stats)))
    expect(asked.length).toBeGreaterThan(1)
    const isSaid = (name: string) => [...said.values()].some((text) => new RegExp(`^${name}[{ ]`, 'm').test(text))
    expect(asked.filter((name) => !isSaid(name))).toEqual([])
  })

  it('are those of the table in docs/observability.md, and each is said by whom it says', () => {
    const rows = [...read('docs/observability.md').matchAll(/^\| `(\w+)` \|[^|]*\| ([^|]+) \|/gm)]
    const own = (name: string) => name.startsWith('wangian_') || name.startsWith('http_')
    const types = [...said.values()].flatMap((text) =>
      [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name),
    )
    expect(rows.map(([, name]) => name).sort()).toEqual([...new Set(types.filter(own))].sort())
    for (const [, name = '', by = ''] of rows) {
      const sayers = [...said].filter(([, text]) => text.includes(`# TYPE ${name} `)).map(([process]) => process)
      expect(sayers, `${name} is said by ${sayers}`).toEqual(expect.arrayContaining([...(saidBy[by] ?? [by])]))
    }
  })

  it('tell one service from another', () => {
    for (const [name, text] of said)
      expect(text, name).toContain(`process_cpu_seconds_total{service="${name.replace(/-.*/, '')}"}`)
  })

  it('know HTTP by the pattern of a route, and never by an address', async () => {
    await fetch(`${system.url}/api/products/4711`)
    const { url = '' } = system.services.get('catalogue') ?? {}
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toContain('route="/api/products/:productId"')
    expect(text).not.toContain('/4711')
  })
})

const withLog = ['identity', 'catalogue', 'auction-1', 'messaging', 'boost', 'admin']
const saidBy: Readonly<Record<string, readonly string[]>> = {
  all: [...withLog, 'auction-pages', 'gateway'],
  'all but the gateway': [...withLog, 'auction-pages'],
  'owners of auctions': ['auction-1'],
  'services with a log': withLog,
  'services with consumers': withLog,
}

describe('an alert', () => {
  it('comes when nobody is left of a job that Prometheus knows', () => {
    const jobs = [...read('infra/observability/prometheus.yml').matchAll(/job_name: (\S+)/g)].map(([, job = '']) => job)
    const missed = [...alerts.matchAll(/absent\(up\{job="([\w-]+)"\}\)/g)].map(([, job = '']) => job)
    expect(jobs.length).toBeGreaterThan(1)
    expect(missed).toEqual(jobs)
  })

  const rules = alerts.split(/^ {6}- alert: /m).slice(1)
  const heads = [...read('docs/when-it-fails.md').matchAll(/^## (.+)$/gm)].map(([, head = '']) =>
    head
      .toLowerCase()
      .replaceAll(/[^a-z -]/g, '')
      .replaceAll(' ', '-'),
  )

  it.each(rules.map((rule) => [rule.split('\n')[0] ?? '', rule]))(
    '%s says what to do, and where more is written',
    (_, rule) => {
      expect(rule).toMatch(/^ {10}summary: \S/m)
      expect(rule).toMatch(/^ {10}action: \S/m)
      expect(rule).toMatch(/severity: (page|ticket)/)
      expect(heads).toContain(/runbook: docs\/when-it-fails\.md#([\w-]+)/.exec(rule)?.[1])
    },
  )
})
