import type { Route } from '@wangian/contracts/route.ts'
import { isCode, isTest, type SourceFile } from './syntax.ts'

type ByService<Declared> = Readonly<Record<string, Readonly<Record<string, Declared>>>>

/** Events that the text of docs/events.md does not name: what a service emits is documented where its readers look. */
export function undocumentedEvents(eventsByService: ByService<unknown>, documentation: string): readonly string[] {
  return Object.entries(eventsByService)
    .flatMap(([service, events]) => Object.keys(events).map((type) => ({ service, type })))
    .filter(({ type }) => !new RegExp(`\\b${type}\\b`).test(documentation))
    .map(({ service, type }) => `${type} of ${service} is not in docs/events.md`)
}

const LISTENERS =
  /\b((?:admin|auction|boost|catalogue|identity|messaging)(?:, (?:admin|auction|boost|catalogue|identity|messaging))*): /g

/**
 * Rows of docs/events.md that do not name who reacts to an event: whoever changes its shape would look at too few services, or at too many.
 * @param listeners the services that handle it, by the event's type
 */
export function wrongListeners(
  listeners: Readonly<Record<string, readonly string[]>>,
  documentation: string,
): readonly string[] {
  return [...documentation.matchAll(/^\| ([A-Z]\w+) \|.* \| (.+) \|$/gm)].flatMap(([, type = '', reactions = '']) => {
    const named = new Set([...reactions.matchAll(LISTENERS)].flatMap(([, names = '']) => names.split(', ')))
    const listening = new Set(listeners[type])
    return [
      ...[...listening].filter((name) => !named.has(name)).map((name) => `${type} does not say that ${name} reacts`),
      ...[...named].filter((name) => !listening.has(name)).map((name) => `${type} says that ${name} reacts`),
    ]
  })
}

/** Files that a document names and that are not there, such as one that was moved. Decisions tell of their time, and are not read. */
export function missingFiles(files: readonly SourceFile[]): readonly string[] {
  const paths = new Set(files.map(({ path }) => path))
  return files
    .filter(({ path }) => path.endsWith('.md') && !path.startsWith('docs/decisions/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:docs|infra|packages|services|web)\/[\w./-]+\.(?:md|mjs|sql|ts|tsx))`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !paths.has(name))
        .map((name) => `${path} names ${name}, which is not there`),
    )
}

/** What the types of a route leave open: two with one address, parameters that do not fit the path, nothing to answer. */
export function routeProblems(routesByService: ByService<Route>): readonly string[] {
  const addresses = new Set<string>()
  return Object.entries(routesByService).flatMap(([service, routes]) =>
    Object.entries(routes).flatMap(([name, route]) => {
      const address = `${route.method} ${route.path.replace(/:[^/]+/g, ':')}`
      const inPath = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1])
      const inSchema = Object.keys((route.params as { shape?: object } | undefined)?.shape ?? {})
      const problems = [
        addresses.has(address) && `there is another ${address}`,
        inPath.sort().join() !== inSchema.sort().join() && `path has [${inPath}], params have [${inSchema}]`,
        !Object.keys(route.answers).some((status) => /^[23]/.test(status)) && 'it never succeeds',
        route.path.startsWith('/api/admin/') && route.access !== 'admin' && `${route.access} is not admin`,
      ]
      addresses.add(address)
      return problems.filter((problem) => problem !== false).map((problem) => `${service}.${name}: ${problem}`)
    }),
  )
}

/** Routes of the contracts that the web app calls and no service serves: whoever presses the button gets a 404. */
export function unservedCalls(files: readonly SourceFile[]): readonly string[] {
  const mentionsIn = (folder: RegExp) =>
    files
      .filter((file) => folder.test(file.path) && isCode(file) && !isTest(file))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\b(\w+Routes)\.(\w+)\b/g)].map(([, routes, name]) => ({ path, route: `${routes}.${name}` })),
      )
  const served = new Set(mentionsIn(/^services\//).map(({ route }) => route))
  return mentionsIn(/^web\/src\//)
    .filter(({ route }) => !served.has(route))
    .map(({ path, route }) => `${path}: ${route} is served by no service`)
}
