import { eventsByService } from '@wangian/contracts/events/by-service.ts'
import { route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as admin from '../../../services/admin/src/consumers.ts'
import * as auction from '../../../services/auction/src/consumers.ts'
import * as boost from '../../../services/boost/src/consumers.ts'
import * as catalogue from '../../../services/catalogue/src/consumers.ts'
import * as identity from '../../../services/identity/src/consumers.ts'
import * as messaging from '../../../services/messaging/src/consumers.ts'
import { missingFiles, routeProblems, undocumentedEvents, unservedCalls, wrongListeners } from './contract-rules.ts'
import { repositoryFiles } from './repository.ts'
import {
  domainImportsOnlyItsOwn,
  domainIsPure,
  environmentOnlyInConfig,
  migrationsAreNumbered,
  noBarrel,
  noInlineImportType,
  noModuleMock,
  noSkippedTest,
  noUnfinishedWork,
  noWidthInNoughts,
  type Rule,
  rowShapesAreMadeOnce,
  servicesHaveReadmes,
  sqlInLowerCase,
  sqlOnlyInStores,
} from './rules.ts'
import { isCode, type SourceFile } from './syntax.ts'

const repository = repositoryFiles()

/** A rule with files that break it, each alone, and files that only look as if they did. */
interface RuleCase {
  readonly says: string
  readonly rule: Rule
  readonly breaks: Readonly<Record<string, string>>
  readonly keeps: Readonly<Record<string, string>>
}

const routes = 'services/auction/src/routes.ts'
const domain = 'services/auction/src/domain.ts'
const domainFolder = 'services/auction/src/domain/bid-ladder.ts'
const capabilityDomain = 'services/identity/src/accounts/domain.ts'
const capabilityDomainFolder = 'services/catalogue/src/search/domain/facets.ts'
// Spelled in two halves, because this file is searched as well.
const unfinished = ['FIX', 'ME'].join('')
const [skip, only, todo] = ['sk.ip', 'on.ly', 'to.do'].map((word) => word.replace('.', ''))

const cases: readonly RuleCase[] = [
  {
    says: 'no file only passes on the exports of others',
    rule: noBarrel,
    breaks: {
      'packages/kit/src/index.ts': `export { fold } from './decider.ts'\nexport { run } from './command.ts'`,
      'packages/kit/src/all.ts': `export * from './decider.ts'\nexport const version = 1`,
    },
    keeps: { 'packages/kit/src/log/command.ts': `export type { State } from './state.ts'\nexport function run() {}` },
  },
  {
    says: 'no work is left unfinished in a comment',
    rule: noUnfinishedWork,
    breaks: { [routes]: `// ${unfinished}: retry`, 'infra/postgres/roles.sql': `-- ${unfinished}` },
    keeps: { [routes]: `const prefixme = 1` },
  },
  {
    says: 'no test is skipped, singled out or left for later',
    rule: noSkippedTest,
    breaks: {
      'packages/kit/src/a.test.ts': `it.${skip}('closes', () => {})`,
      'packages/kit/src/b.test.ts': `describe.${only}('an auction', () => {})`,
      'packages/kit/src/c.test.ts': `test.describe.${only}('an auction', () => {})`,
      'packages/kit/src/d.test.ts': `it.${skip}If(process.platform === 'win32')('closes', () => {})`,
      'packages/kit/src/e.test.ts': `it('closes', (context) => context.${skip}())`,
      'packages/kit/src/f.test.ts': `it.${todo}('closes')`,
      'web/e2e/g.e2e.ts': `test('closes', () => { test.fixme() })`,
    },
    keeps: {
      'packages/kit/src/a.test.ts': `it.each([1])('skips %i', (n) => { list.skip(n); expect(only(n)).toBe(1) })`,
    },
  },
  {
    says: 'no part of ours is mocked',
    rule: noModuleMock,
    breaks: { 'services/auction/src/routes.test.ts': `vi.mock('./store.ts')` },
    keeps: { 'services/auction/src/routes.test.ts': `const onBid = vi.fn(); vi.useFakeTimers()` },
  },
  {
    says: 'types are imported where the boundaries can see it',
    rule: noInlineImportType,
    breaks: { [routes]: `export type Bid = import('../../identity/src/domain.ts').User` },
    keeps: { [routes]: `import type { Bid } from '@wangian/contracts/auction.ts'\nexport type Mine = Bid` },
  },
  {
    says: 'no width depends on the face that happens to be there',
    rule: noWidthInNoughts,
    breaks: { 'web/src/ui/Page.tsx': 'const Words = styled.p`max-width: 40ch;`' },
    keeps: { 'web/src/ui/Page.tsx': 'const Words = styled.p`max-width: 25em;` // 3 chips' },
  },
  {
    says: 'a domain imports contracts, decider, errors, invariant and itself only',
    rule: domainImportsOnlyItsOwn,
    breaks: {
      [domain]: `import { sql } from './store.ts'`,
      [domainFolder]: `import { connect } from '@wangian/kit/bus/nats.ts'`,
      'services/boost/src/domain.ts': `import { readFileSync } from 'node:fs'`,
      'services/admin/src/domain.ts': `const late = await import('../config.ts')`,
      [capabilityDomain]: `import { findAccount } from '../store.ts'`,
      [capabilityDomainFolder]: `import { terms } from '../search-terms.ts'`,
    },
    keeps: {
      [domain]: [
        `import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'`,
        `import { Rejection } from '@wangian/kit/errors.ts'`,
        `import { ladder } from './domain/bid-ladder.ts'`,
      ].join('\n'),
      [domainFolder]: `import type { Auction } from '../domain.ts'\nimport { step } from './step.ts'`,
      [capabilityDomain]: `import { invariant } from '@wangian/kit/invariant.ts'`,
      [capabilityDomainFolder]: `import { searchCosts } from './search-cost.ts'`,
      'services/auction/src/domain.test.ts': `import { given } from '@wangian/kit/testing/decider-spec.ts'`,
    },
  },
  {
    says: 'a domain reads no clock, throws no dice and talks to nobody',
    rule: domainIsPure,
    breaks: {
      [domain]: `export const now = () => Date.now()`,
      [domainFolder]: `export const now = () => new Date()`,
      'services/boost/src/domain.ts': `export const dice = Math.random()`,
      'services/admin/src/domain.ts': `export const id = () => crypto.randomUUID()`,
      [capabilityDomain]: `export const now = () => Date.now()`,
      [capabilityDomainFolder]: `export const dice = Math.random()`,
    },
    keeps: { [domain]: `export const parse = (text: string) => new Date(text).getTime()` },
  },
  {
    says: 'SQL is in stores, migrations, the kit and infra only',
    rule: sqlOnlyInStores,
    breaks: {
      [routes]: 'const rows = await pool.any(sql.unsafe`select id from auction where id = 1`)',
      'services/auction/src/writer.ts': `await client.query('INSERT INTO events (id) VALUES ($1)')`,
      'services/auction/src/a.ts': 'const text = `\n  with fence as (update partition_lease set epoch = 1) select 1`',
      'services/auction/src/b.ts': `import { Client } from 'pg'`,
      'services/auction/src/c.ts': `await query("set local statement_timeout = '2s'")`,
      'services/identity/src/accounts/profile.ts': 'const rows = await pool.any(sql.unsafe`select id from people`)',
    },
    keeps: {
      [routes]: `const prompt = 'Select a size from the list'; const verb = 'update'; const text = 'delete this listing'`,
      'services/auction/src/store.ts': 'export const find = sql`select id from auction`',
      'services/auction/src/lease-store.ts': 'export const find = sql`select id from partition_lease`',
      'services/identity/src/accounts/profile-store.ts': 'export const find = sql`select id from people`',
      'services/auction/src/store/bids.ts': 'export const find = sql`select id from bid`',
      'services/auction/src/routes.test.ts': 'await pool.query(`select id from auction`)',
      'packages/kit/src/log/event-store.ts': 'export const append = sql`insert into events (id) values (1)`',
      'infra/bench/row-lock.ts': `import { Client } from 'pg'`,
      'services/auction/src/types.ts': `import type { PoolClient } from 'pg'`,
    },
  },
  {
    says: 'the shape of a row is made once',
    rule: rowShapesAreMadeOnce,
    breaks: {
      'services/auction/src/store.ts':
        'const read = () => pool.one(sql.type(z.object({ id: z.number() }))`select 1 as id`)',
      'packages/kit/src/log/positions.ts':
        "const move = () => pool.query(sql.prepared('move', Row.pick({ id: true }))`select 1`)",
    },
    keeps: {
      'services/auction/src/store.ts': "const read = () => pool.one(sql.prepared('read', IdRow)`select 1 as id`)",
    },
  },
  {
    says: 'SQL is written in lower case',
    rule: sqlInLowerCase,
    breaks: {
      'services/auction/src/store.ts': 'export const find = sql`SELECT id FROM auction`',
      'packages/kit/src/log/relay.ts': 'export const find = sql`select id from events WHERE id = 1`',
      'services/auction/migrations/0001-auction.sql': 'CREATE TABLE auction (id bigint)',
    },
    keeps: {
      'services/auction/src/store.ts': 'export const find = sql`select id from auction`; const method = "DELETE"',
      'services/auction/migrations/0001-auction.sql': `create table auction (kind text default 'FROM') -- SELECT`,
    },
  },
  {
    says: 'the environment is read in config.ts only',
    rule: environmentOnlyInConfig,
    breaks: {
      'services/auction/src/main.ts': `const port = process.env.PORT`,
      'services/auction/src/a.ts': `const port = globalThis.process['env']['PORT']`,
      'services/auction/src/b.ts': `const { env } = process`,
      'services/auction/src/c.ts': `import { env } from 'node:process'`,
    },
    keeps: {
      'services/auction/src/config.ts': `const port = process.env.PORT`,
      'web/vite.config.ts': `const port = process.env.PORT`,
      'services/auction/src/main.ts': `process.exitCode = 3 // not process.env`,
      'services/auction/src/routes.test.ts': `const url = process.env.TEST_DATABASE_URL`,
    },
  },
  {
    says: 'every service has a README with the same headings',
    rule: servicesHaveReadmes,
    breaks: {
      [routes]: '',
      'services/boost/README.md': '## Purpose\n## Streams\n## Events in\n## Events out\n## Tables\n',
    },
    keeps: {
      'services/boost/README.md': '## Purpose\n## Streams\n## Events in\n## Events out\n## Tables\n## Run alone\n',
    },
  },
  {
    says: 'migrations are numbered once each',
    rule: migrationsAreNumbered,
    breaks: { 'services/auction/migrations/auction-list.sql': '', 'services/auction/migrations/1-list.sql': '' },
    keeps: { 'services/auction/migrations/0001-list.sql': '', 'services/boost/migrations/0001-list.sql': '' },
  },
]

for (const { says, rule, breaks, keeps } of cases) {
  describe(says, () => {
    it('holds for the whole repository', () => {
      expect(rule(repository)).toEqual([])
    })

    for (const file of files(breaks)) {
      it(`finds the violation planted in ${file.path}`, () => {
        expect(rule([file]).length).toBeGreaterThan(0)
      })
    }

    it('lets pass what only looks like one', () => {
      expect(rule(files(keeps))).toEqual([])
    })
  })
}

describe('two migrations with one number', () => {
  it('are found', () => {
    const [first, second] = ['0002-leases', '0002-bids'].map((name) => `services/auction/migrations/${name}.sql`)
    expect(migrationsAreNumbered(files({ [first as string]: '', [second as string]: '' }))).toEqual([
      `${second}: its number is taken`,
    ])
  })
})

describe('every file that a document names', () => {
  it('is there', () => {
    expect(missingFiles(repository)).toEqual([])
  })

  it('is missed when it has gone', () => {
    const named = files({ 'docs/promises.md': 'See `infra/a.ts` and `infra/b.ts`.', 'infra/a.ts': '' })
    expect(missingFiles(named)).toEqual(['docs/promises.md names infra/b.ts, which is not there'])
  })
})

describe('every event of the contracts is in docs/events.md', () => {
  it('holds for the whole repository', () => {
    const documentation = repository.find((file) => file.path === 'docs/events.md')?.text ?? ''
    expect(undocumentedEvents(eventsByService, documentation)).toEqual([])
  })

  it('finds one that is left out', () => {
    const events = { auction: { BidPlaced: 1, BidPlacedTwice: 1 } }
    expect(undocumentedEvents(events, 'BidPlacedTwice is emitted by')).toEqual([
      'BidPlaced of auction is not in docs/events.md',
    ])
  })
})

describe('docs/events.md names who reacts to each event', () => {
  it('holds for the whole repository', () => {
    const documentation = repository.find((file) => file.path === 'docs/events.md')?.text ?? ''
    expect(wrongListeners(listenersByType(), documentation)).toEqual([])
  })

  it('finds a row that leaves somebody out, and one that names somebody who has gone', () => {
    const listeners = { BidPlaced: ['catalogue', 'messaging'], AuctionEnded: ['catalogue'], AuctionOpened: [] }
    const documentation = [
      '| BidPlaced | a bid is accepted | catalogue: the current bid. admin, messaging: notices |',
      '| AuctionEnded | its time is over | nobody yet |',
      '| AuctionOpened | a seller opens an auction | private |',
    ]
    expect(wrongListeners(listeners, documentation.join('\n'))).toEqual([
      'BidPlaced says that admin reacts',
      'AuctionEnded does not say that catalogue reacts',
    ])
  })
})

/** The services that handle an event, by its type. Nothing is handled here, so their consumers get nothing to do it with. */
function listenersByType(): Readonly<Record<string, readonly string[]>> {
  const nothing = { config: {} } as never
  const consumers = {
    admin: [...admin.projections, ...admin.reactions],
    auction: [...auction.projections, ...auction.reactions(nothing)],
    boost: [...boost.projections, ...boost.reactions(nothing)],
    catalogue: [...catalogue.projections, ...catalogue.reactions(nothing)],
    identity: identity.reactions(nothing),
    messaging: [...messaging.projections, ...messaging.reactions(nothing)],
  }
  const heard = Object.entries(consumers).flatMap(([service, declarations]) =>
    declarations
      .flatMap((each) => Object.keys('handlers' in each ? each.handlers : each.bulkHandlers))
      .map((type) => ({ type, service })),
  )
  const byType = Object.groupBy(heard, ({ type }) => type)
  return Object.fromEntries(
    Object.entries(byType).map(([type, listeners = []]) => [type, listeners.map(({ service }) => service)]),
  )
}

describe('every route of the contracts has its own address and fitting parameters', () => {
  it('holds for the contracts', () => {
    expect(routeProblems(routesByService)).toEqual([])
  })

  it('finds what does not', () => {
    const bid = { method: 'GET', access: 'public', summary: 'One bid', answers: { 200: z.string() } } as const
    const params = z.object({ bidId: z.string() })
    const planted = {
      get: route({ ...bid, path: '/api/bids/:bidId', params }),
      getAgain: route({ ...bid, path: '/api/bids/:id', params: z.object({ id: z.string() }) }),
      getOther: route({ ...bid, path: '/api/bids/:id/other', params }),
      never: route({ ...bid, path: '/api/never', answers: {} }),
      audit: route({ ...bid, path: '/api/admin/audit' }),
    }
    expect(routeProblems({ auction: planted })).toEqual([
      'auction.getAgain: there is another GET /api/bids/:',
      'auction.getOther: path has [id], params have [bidId]',
      'auction.never: it never succeeds',
      'auction.audit: public is not admin',
    ])
  })
})

describe('every route that the web app calls is served', () => {
  const api = { 'web/src/features/boost/api.ts': 'call(boostRoutes.listPackages, {})' }

  it('holds for the whole repository', () => {
    expect(unservedCalls(repository)).toEqual([])
  })

  it('finds one that nobody serves, or only a test', () => {
    const test = { 'services/boost/src/routes.test.ts': 'inject(boostRoutes.listPackages.path)' }
    expect(unservedCalls(files({ ...api, ...test }))).toEqual([
      'web/src/features/boost/api.ts: boostRoutes.listPackages is served by no service',
    ])
  })

  it('lets pass one that is served', () => {
    const routes = { 'services/boost/src/routes.ts': 'handle(app, boostRoutes.listPackages, list)' }
    expect(unservedCalls(files({ ...api, ...routes }))).toEqual([])
  })
})

describe('the repository as the rules see it', () => {
  it.each(['packages/contracts', 'packages/kit', 'services/auction', 'services/gateway', 'infra', 'web'])(
    'has code of %s',
    (workspace) => {
      expect(repository.some((file) => file.path.startsWith(`${workspace}/`) && isCode(file))).toBe(true)
    },
  )
})

function files(byPath: Readonly<Record<string, string>>): SourceFile[] {
  return Object.entries(byPath).map(([path, text]) => ({ path, text }))
}
