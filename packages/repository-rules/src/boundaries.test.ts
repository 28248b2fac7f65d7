import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BoundaryReport, blindSpots, examineBoundaries } from './boundaries.ts'
import { boundaryRules } from './boundary-rules.ts'

/** A checkout in which every import is allowed, each in a way that a rule might take for a violation. */
const clean: Readonly<Record<string, string>> = {
  'packages/contracts/src/money.ts': `export type Sen = number`,
  'packages/contracts/src/auction.ts': `import type { Sen } from './money.ts'\nexport type Bid = Sen`,
  'packages/kit/src/log/decider.ts': `import type { Bid } from '@wangian/contracts/auction.ts'\nexport type Fold = Bid`,
  'packages/kit/src/testing/spec.ts': `import type { Fold } from '../log/decider.ts'\nexport type Spec = Fold`,
  'packages/repository-rules/src/rules.ts': `import '@wangian/contracts/money.ts'`,
  'services/auction/src/domain.ts': `import type { Fold } from '@wangian/kit/log/decider.ts'\nexport type State = Fold`,
  'services/auction/src/main.ts': `import type { Page } from './api/routes.ts'\nimport './owner/owner.ts'\nexport type Main = Page`,
  'services/auction/src/api/routes.ts': `import type { Books } from '../books/books.ts'\nexport type Page = Books`,
  'services/auction/src/books/books.ts': `import type { State } from '../domain.ts'\nexport type Books = State`,
  'services/auction/src/owner/owner.ts': `import type { Books } from '../books/books.ts'\nexport type Owner = Books`,
  'services/auction/src/domain.test.ts': `import '@wangian/kit/testing/spec.ts'\nimport './domain.ts'`,
  'services/gateway/src/main.ts': `import './proxy/turns.ts'\nimport './sockets/hub.ts'`,
  'services/gateway/src/proxy/turns.ts': `export type Turn = number`,
  'services/gateway/src/sockets/hub.ts': `export type Hub = number`,
  'services/identity/src/main.ts': `import '@wangian/contracts/money.ts'`,
  'packages/repository-rules/src/repository-rules.test.ts': `import './rules.ts'`,
  'infra/local/start.ts': `import '@wangian/kit/log/decider.ts'`,
  'web/src/main.tsx': `import './routes.tsx'\nimport './features/catalogue/Card.tsx'\nimport './cards/Tile.tsx'\nimport './ui/Circle.tsx'`,
  'web/src/routes.tsx': `import { BidForm } from './features/auction/BidForm.tsx'\nexport const routes = [<BidForm key="1" />]`,
  'web/src/features/auction/BidForm.tsx': `import { Button } from '../../ui/Button.tsx'\nexport const BidForm = () => <Button />`,
  'web/src/features/catalogue/Card.tsx': `import type { Sen } from '@wangian/contracts/money.ts'\nexport type Price = Sen`,
  'web/src/cards/Tile.tsx': `import { Button } from '../ui/Button.tsx'\nexport const Tile = () => <Button />`,
  'web/src/ui/Button.tsx': `export const Button = () => <button type="button" />`,
  'web/src/ui/Circle.tsx': `import type { Edge } from './Edge.tsx'\nexport type Circle = Edge`,
  'web/src/ui/Edge.tsx': `import type { Circle } from './Circle.tsx'\nexport type Edge = Circle | 1`,
}

/** Files that break the rule of that name, added to the clean checkout. */
const planted: readonly { rule: string; path: string; text: string }[] = [
  {
    rule: 'contracts-know-nobody',
    path: 'packages/contracts/src/p1.ts',
    text: `import type { Fold } from '../../kit/src/log/decider.ts'\nexport type A = Fold`,
  },
  { rule: 'contracts-do-no-io', path: 'packages/contracts/src/p2.ts', text: `import 'node:fs'` },
  {
    rule: 'kit-knows-contracts-only',
    path: 'packages/kit/src/p3.ts',
    text: `export { type State } from '../../../services/auction/src/domain.ts'`,
  },
  {
    rule: 'no-service-to-service',
    path: 'services/identity/src/p4.ts',
    text: `import type { State } from '../../auction/src/domain.ts'\nexport type A = State`,
  },
  {
    rule: 'no-service-to-service',
    path: 'services/identity/src/p5.ts',
    text: `export const late = () => import('@wangian/auction/domain.ts')`,
  },
  {
    rule: 'no-service-to-service',
    path: 'services/identity/src/accounts/p16.ts',
    text: `import type { State } from '../../../auction/src/domain.ts'\nexport type A = State`,
  },
  {
    rule: 'books-know-the-domain-only',
    path: 'services/auction/src/books/p17.ts',
    text: `import type { Main } from '../main.ts'\nexport type A = Main`,
  },
  {
    rule: 'owner-knows-nobody-who-asks-it',
    path: 'services/auction/src/owner/p18.ts',
    text: `import type { Page } from '../api/routes.ts'\nexport type A = Page`,
  },
  {
    rule: 'sockets-know-no-requests',
    path: 'services/gateway/src/sockets/p19.ts',
    text: `import type { Turn } from '../proxy/turns.ts'\nexport type A = Turn`,
  },
  {
    rule: 'services-stand-on-contracts-and-kit',
    path: 'services/identity/src/p6.ts',
    text: `import '../../../infra/local/start.ts'`,
  },
  {
    rule: 'infra-runs-services-from-outside',
    path: 'infra/local/p14.ts',
    text: `import '../../services/identity/src/main.ts'`,
  },
  { rule: 'web-knows-contracts-only', path: 'web/src/api/p7.ts', text: `import '@wangian/kit/log/decider.ts'` },
  {
    rule: 'no-feature-to-feature',
    path: 'web/src/features/catalogue/P8.tsx',
    text: `import { BidForm } from '../auction/BidForm.tsx'\nexport const P8 = () => <BidForm />`,
  },
  {
    rule: 'ui-knows-the-theme-only',
    path: 'web/src/ui/P9.tsx',
    text: `import { BidForm } from '../features/auction/BidForm.tsx'\nexport const P9 = () => <BidForm />`,
  },
  {
    rule: 'cards-know-no-feature',
    path: 'web/src/cards/P15.tsx',
    text: `import { BidForm } from '../features/auction/BidForm.tsx'\nexport const P15 = () => <BidForm />`,
  },
  {
    rule: 'features-do-not-know-the-map',
    path: 'web/src/features/auction/P10.tsx',
    text: `import { routes } from '../../routes.tsx'\nexport const P10 = () => <>{routes}</>`,
  },
  {
    rule: 'testing-helpers-stay-in-tests',
    path: 'services/identity/src/p11.ts',
    text: `import '@wangian/kit/testing/spec.ts'`,
  },
  { rule: 'no-circles', path: 'packages/kit/src/p12.ts', text: `import './p12b.ts'` },
  { rule: 'everything-resolves', path: 'services/identity/src/p13.ts', text: `import '@wangian/kit/nowhere.ts'` },
]

let directory: string

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'wangian-boundaries-')))
})

afterAll(() => {
  rmSync(directory, { recursive: true })
})

describe('a checkout that keeps to the directions', () => {
  let report: BoundaryReport
  beforeAll(async () => {
    report = await examineBoundaries(checkout('clean', clean))
  })

  it('has no violation', () => {
    expect(report.violations).toEqual([])
  })

  it('has no file that nothing imports', () => {
    expect(report.unused).toEqual([])
  })

  it('has no blind spot', () => {
    expect(blindSpots(report)).toEqual([])
    expect(report.coverage.get('services/auction')).toEqual({ modules: 6, imports: 8 })
  })
})

describe('a checkout with planted violations', () => {
  let report: BoundaryReport
  beforeAll(async () => {
    const extra = Object.fromEntries(planted.map(({ path, text }) => [path, text]))
    const back = { 'packages/kit/src/p12b.ts': `import './p12.ts'` }
    report = await examineBoundaries(checkout('planted', { ...clean, ...extra, ...back }))
  })

  it.each(planted)('shows $rule in $path', ({ rule, path }) => {
    expect(report.violations.filter((line) => line.startsWith(`${rule}: ${path} `))).toHaveLength(1)
  })

  it('has one for every rule', () => {
    expect(new Set(planted.map(({ rule }) => rule))).toEqual(new Set(boundaryRules.map(({ name }) => name)))
  })
})

describe('a checkout with files that nothing imports', () => {
  it('names them, and those that only a test imports', async () => {
    const unused = {
      'packages/kit/src/forgotten.ts': `export const forgotten = 1`,
      'packages/kit/src/tested.ts': `export const tested = 1`,
      'packages/kit/src/tested.test.ts': `import './tested.ts'\nimport './testing/helper.ts'`,
      'packages/kit/src/testing/helper.ts': `export const helper = 1`,
    }
    const report = await examineBoundaries(checkout('unused', { ...clean, ...unused }))
    expect(report.unused).toEqual(['packages/kit/src/forgotten.ts', 'packages/kit/src/tested.ts'])
  })
})

describe('a checkout whose TypeScript cannot be seen', () => {
  it('is a blind spot, not a pass', async () => {
    const scripts = Object.fromEntries(Object.keys(clean).map((path) => [path.replace(/tsx?$/, 'js'), 'export {}']))
    const report = await examineBoundaries(checkout('unseen', scripts))
    expect(report.violations).toEqual([])
    expect(blindSpots(report)).toContain('services/auction: saw 0 TypeScript files and 0 imports')
    expect(blindSpots(report)).toHaveLength(report.coverage.size)
  })
})

/** Writes files as a workspace with the packages linked the way pnpm links them; returns its folder. */
function checkout(name: string, files: Readonly<Record<string, string>>): string {
  const root = join(directory, name)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  mkdirSync(join(root, 'node_modules', '@wangian'), { recursive: true })
  for (const folder of [
    'packages/contracts',
    'packages/kit',
    'packages/repository-rules',
    'services/auction',
    'services/gateway',
    'services/identity',
  ]) {
    const packageName = `@wangian/${folder.split('/')[1]}`
    write(`${folder}/package.json`, JSON.stringify({ name: packageName, exports: { './*.ts': './src/*.ts' } }))
    symlinkSync(join(root, folder), join(root, 'node_modules', packageName), 'dir')
  }
  for (const folder of ['infra', 'web']) write(`${folder}/package.json`, JSON.stringify({ name: `@wangian/${folder}` }))
  return root
}
