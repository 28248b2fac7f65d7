import { posix } from 'node:path'
import { chainOf, importsOf, isCode, isTest, type Node, nodesOf, type SourceFile, statementsOf } from './syntax.ts'

/** Looks through files and says what breaks the rule, one line each, beginning with the path. */
export type Rule = (files: readonly SourceFile[]) => readonly string[]

/** A file that only passes on what others export hides who needs what. */
export const noBarrel: Rule = (files) =>
  files.filter(isCode).flatMap((file) => {
    const statements = statementsOf(file)
    const passesOn = statements.filter(
      (node) => node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && node['source']),
    )
    const all = passesOn.find((node) => node.type === 'ExportAllDeclaration')
    const nothingElse = passesOn.length > 0 && statements.every((node) => /^(Import|Export(All|Named))/.test(node.type))
    return all || nothingElse ? [`${file.path}: passes on the exports of other files`] : []
  })

/** What is unfinished is an issue, not a comment. */
export const noUnfinishedWork: Rule = (files) =>
  files
    .filter((file) => isCode(file) || /\.(sql|css|html|sh|ya?ml)$/.test(file.path))
    .flatMap((file) => matches(file, /\bFIX[M]E\b|\bXX[X]\b/g))

/** A test that does not run proves nothing and looks as if it did. */
export const noSkippedTest: Rule = (files) =>
  files.filter(isCode).flatMap((file) =>
    nodesOf(file)
      .filter((node) => node.type === 'CallExpression')
      .map((node) => chainOf(node['callee'] as Node)?.join('.') ?? '')
      .filter((name) =>
        /^((it|test|describe|suite|bench)\.(.+\.)?(only|skip|skipIf|runIf|todo|fixme|fails)|x?(ctx|context|task)\.skip|[fx](it|test|describe))(\.|$)/.test(
          name,
        ),
      )
      .map((name) => `${file.path}: ${name}`),
  )

/** A mock of our own part agrees with whatever we believed when we wrote it. */
export const noModuleMock: Rule = (files) =>
  files.filter(isCode).flatMap((file) =>
    nodesOf(file)
      .filter((node) => node.type === 'CallExpression')
      .map((node) => chainOf(node['callee'] as Node)?.join('.') ?? '')
      .filter((name) => /^vi\.(mock|doMock|hoisted)$/.test(name))
      .map((name) => `${file.path}: ${name}`),
  )

/** The import graph is what the boundaries are checked on, and an inline `import('…')` type is not in it. */
export const noInlineImportType: Rule = (files) =>
  files.filter(isCode).flatMap((file) =>
    nodesOf(file)
      .filter((node) => node.type === 'TsImportType')
      .map((node) => `${file.path}: import('${(node['argument'] as Node)['value']}') as a type`),
  )

/** The width of a nought changes when the real face takes the place of what stood in for it, and lines then break elsewhere. */
export const noWidthInNoughts: Rule = (files) =>
  files.filter((file) => isCode(file) && /^web\/src\//.test(file.path)).flatMap((file) => matches(file, /\d+ch\b/g))

const domainImports = /^@wangian\/(contracts\/.+|kit\/(log\/decider|errors|invariant))\.ts$/

/** The core of a service knows the contracts, the shape of a decider, how to refuse, and itself. */
export const domainImportsOnlyItsOwn: Rule = (files) =>
  files.filter(isDomain).flatMap((file) =>
    importsOf(file)
      .map((each) => each.from)
      .filter((from) => {
        if (!from.startsWith('.')) return !domainImports.test(from)
        return !isDomain({ path: posix.join(posix.dirname(file.path), from) })
      })
      .map((from) => `${file.path}: imports ${from}`),
  )

/** Time, ids and chance arrive in the command, or else a decision could not be repeated. */
export const domainIsPure: Rule = (files) =>
  files.filter(isDomain).flatMap((file) =>
    nodesOf(file)
      .filter((node) => node.type === 'CallExpression' || node.type === 'NewExpression')
      .map((node) => {
        const name = chainOf(node['callee'] as Node)?.join('.') ?? ''
        const bare = ((node['arguments'] as unknown[] | null) ?? []).length === 0
        return name === 'Date' && !bare ? '' : name
      })
      .filter((name) =>
        /^(Date|Date\.now|Math\.random|performance\.now|crypto\..+|fetch|setTimeout|setInterval|console\..+|process\..+)$/.test(
          name,
        ),
      )
      .map((name) => `${file.path}: ${name}`),
  )

const statement =
  /^\s*(--[^\n]*\n\s*)*(select\s|insert\s+into\s|update\s+[\w."]+\s+(as\s+\w+\s+)?set\s|delete\s+from\s|with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s|(create|alter|drop)\s+(or\s+replace\s+|unique\s+)?(table|index|schema|role|function|type|view|sequence|extension|trigger|database)\s|truncate\s|lock\s+table\s|listen\s|notify\s|grant\s|revoke\s|set\s+(local\s+|session\s+)?\w+\s*(=|to\s))/

/** SQL lives where it is expected: a service's store and migrations, the kit, and what prepares or examines databases. */
export const sqlOnlyInStores: Rule = (files) =>
  files
    .filter((file) => isCode(file) && !isTest(file) && !/^(packages\/kit|infra)\//.test(file.path))
    .filter((file) => !/(^|\/)(store|[a-z-]+-store)\.ts$|\/store\//.test(file.path))
    .flatMap((file) => [
      ...literalsOf(file)
        .filter(isStatement)
        .map((text) => `${file.path}: ${text.trim().split('\n')[0]}`),
      ...importsOf(file)
        .filter((each) => !each.typeOnly && /^(pg|slonik)$/.test(each.from))
        .map((each) => `${file.path}: imports ${each.from}`),
    ])

/** One way of writing makes statements searchable. */
export const sqlInLowerCase: Rule = (files) => {
  const shouted = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM|WHERE|VALUES|JOIN|ORDER BY|RETURNING|CREATE|ALTER)\b/
  return files
    .filter((file) => /^(services|packages\/kit|infra)\//.test(file.path))
    .flatMap((file) => {
      const texts = file.path.endsWith('.sql') ? [file.text.replace(/--.*|'[^']*'/g, '')] : []
      if (isCode(file)) texts.push(...literalsOf(file).filter(isStatement))
      return texts.filter((text) => shouted.test(text)).map((text) => `${file.path}: ${shouted.exec(text)?.[0]}`)
    })
}

/** To make the shape of a row and to compile it takes longer than to parse the row. */
export const rowShapesAreMadeOnce: Rule = (files) =>
  files
    .filter((file) => isCode(file) && !isTest(file) && /^(services|packages)\//.test(file.path))
    .flatMap((file) =>
      nodesOf(file)
        .filter((node) => node.type === 'CallExpression')
        .filter((node) => /^sql\.(type|prepared)$/.test(chainOf(node['callee'] as Node)?.join('.') ?? ''))
        .filter((node) => (node['arguments'] as { expression: Node }[]).at(-1)?.expression.type === 'CallExpression')
        .map(() => `${file.path}: makes a shape with each statement, and not once above it`),
    )

/** One file per package says what can be set from outside; everything else is handed its values. */
export const environmentOnlyInConfig: Rule = (files) =>
  files
    .filter((file) => isCode(file) && !isTest(file))
    .filter((file) => !/(^|\/)([a-z.]+\.)?config\.ts$/.test(file.path) && file.path !== 'infra/local/with-node24.mjs')
    .filter((file) => nodesOf(file).some((node) => readsEnvironment(node)))
    .map((file) => `${file.path}: process.env`)

const serviceHeadings = ['Purpose', 'Streams', 'Events in', 'Events out', 'Tables', 'Run alone']

/** Knowing where to look in one service's README is knowing it in all. */
export const servicesHaveReadmes: Rule = (files) => {
  const services = new Set(files.map((file) => /^services\/([^/]+)\//.exec(file.path)?.[1]).filter((name) => name))
  return [...services].flatMap((service) => {
    const path = `services/${service}/README.md`
    const readme = files.find((file) => file.path === path)
    if (readme === undefined) return [`${path}: is missing`]
    return serviceHeadings
      .filter((heading) => !new RegExp(`^##+ ${heading}$`, 'm').test(readme.text))
      .map((heading) => `${path}: has no heading "${heading}"`)
  })
}

/** Migrations run in the order of their numbers, so a number may stand only once. */
export const migrationsAreNumbered: Rule = (files) => {
  const migrations = files.map((file) => file.path).filter((path) => /\/migrations\//.test(path))
  const numbers = new Set<string>()
  return migrations.flatMap((path) => {
    const number = /^(.*\/migrations\/\d{4})-[a-z0-9-]+\.sql$/.exec(path)?.[1]
    if (number === undefined) return [`${path}: is not named like 0003-boost-index.sql`]
    if (numbers.has(number)) return [`${path}: its number is taken`]
    numbers.add(number)
    return []
  })
}

function isDomain(file: { readonly path: string }): boolean {
  return /^services\/[^/]+\/src\/([^/]+\/)*domain(\.ts|\/[^/]+\.ts)$/.test(file.path) && !/\.test\.ts$/.test(file.path)
}

/** "Select a size" is prose, "select size from" and "SELECT size FROM" are not. */
function isStatement(text: string): boolean {
  return statement.test(text.replace(/\b[A-Z]{2,}\b/g, (word) => word.toLowerCase()))
}

/** Strings and templates, the latter with `?` for each value. */
function literalsOf(file: SourceFile): readonly string[] {
  return nodesOf(file).flatMap((node) => {
    if (node.type === 'StringLiteral') return [node['value'] as string]
    if (node.type === 'TemplateLiteral') return [(node['quasis'] as Node[]).map((part) => part['cooked']).join('?')]
    return []
  })
}

function readsEnvironment(node: Node): boolean {
  if (node.type === 'MemberExpression') return /(^|\.)process\.env$/.test(chainOf(node)?.join('.') ?? '')
  if (node.type === 'VariableDeclarator') {
    const from = node['init'] as Node | null
    const pattern = node['id'] as Node
    return from?.['value'] === 'process' && from.type === 'Identifier' && pattern.type === 'ObjectPattern'
      ? (pattern['properties'] as Node[]).some((property) => (property['key'] as Node)?.['value'] === 'env')
      : false
  }
  if (node.type !== 'ImportDeclaration') return false
  return (
    /^(node:)?process$/.test((node['source'] as Node)['value'] as string) &&
    (node['specifiers'] as Node[]).some((each) => ((each['imported'] ?? each['local']) as Node)['value'] === 'env')
  )
}

function matches(file: SourceFile, pattern: RegExp): readonly string[] {
  return file.text
    .split('\n')
    .flatMap((line, index) => (line.match(pattern) ? [`${file.path}:${index + 1}: ${line.trim()}`] : []))
}
