import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { repositoryRoot } from './config.ts'
import { databaseServices, mainScript } from './services.ts'

/** What a process loads when somebody first needs it: until then it would hold memory and keep the start waiting. */
const laterPackages = ['aws4fetch', 'file-type', 'node-pg-migrate', 'nodemailer', 'sharp', 'web-push']

/** Prints the address of each module that was loaded, at the end, with Node's own, and which formats were made. */
const listing = `
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) })
  for (const name of ['NumberFormat', 'DateTimeFormat']) {
    const construct = (made, values) => (loaded.add('Intl.' + name), Reflect.construct(made, values))
    Intl[name] = new Proxy(Intl[name], { construct })
  }
  process.on('exit', () => writeSync(1, JSON.stringify([...loaded, ...process.moduleLoadList])))`

/** What would be loaded besides what is used. */
const neverUsed = {
  'formats of numbers and dates': /^Intl\./,
  "Node's second HTTP client": /^NativeModule internal\/deps\/undici\//,
  "undici's fetch, sockets and mocks": /\/undici\/lib\/(web|mock)\//,
  'encryption, of which tokens have none': /\/jose\/dist\/webapi\/jwe\//,
  'sixty languages of messages that nobody reads': /\/zod\/v4\/locales\/(?!en\.)/,
  'the second set of what traces are made of': /\/@opentelemetry\/api\/.*\.cjs$/,
  'ranges of versions that are only compared': /\/semver\/ranges\//,
}

/** The addresses of the modules that are loaded. */
async function modulesLoadedBy(...node: readonly string[]): Promise<string[]> {
  const preload = `data:text/javascript,${encodeURIComponent(listing)}`
  // Without settings a service ends before it connects to anything, when it has loaded what it is made of.
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const ran = promisify(execFile)(process.execPath, ['--import', preload, ...node], {
    env: { PATH, NODE_COMPILE_CACHE },
  })
  const { stdout } = await ran.catch((error: { stdout: string }) => error)
  return JSON.parse(stdout.slice(stdout.lastIndexOf('[')))
}

const packagesOf = (urls: readonly string[]) =>
  new Set(urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? 'our own'))

it.each([...databaseServices, 'gateway'] as const)('%s leaves what is seldom or never needed', async (service) => {
  const modules = await modulesLoadedBy(mainScript(repositoryRoot, service) ?? '')
  const packages = packagesOf(modules)
  expect(packages).toContain('zod')
  for (const name of laterPackages) expect(packages).not.toContain(name)
  const found = Object.entries(neverUsed).filter(([, address]) => modules.some((url) => address.test(url)))
  expect(found.map(([name]) => name)).toEqual([])
})

it('who checks tokens fetches no keys, nor loads what would, before the first one comes', async () => {
  const auth = pathToFileURL(`${repositoryRoot}/packages/kit/src/http/auth.ts`).href
  const modules = await modulesLoadedBy(
    '--eval',
    `import(${JSON.stringify(auth)}).then((kit) => kit.createAuthenticator({ jwksUrls: ['http://127.0.0.1:9/'] }))`,
  )
  expect(packagesOf(modules)).toContain('jose')
  expect(modules.filter((url) => neverUsed["Node's second HTTP client"].test(url))).toEqual([])
})

it('an app has no second set of schemas, nor HTTP/2, which the proxy before us may speak', async () => {
  const http = pathToFileURL(`${repositoryRoot}/packages/kit/src/http/http.ts`).href
  const create = `import(${JSON.stringify(http)}).then((kit) => kit.createApp({ name: 'empty' }))`
  const modules = await modulesLoadedBy('--eval', create)
  const packages = packagesOf(modules)
  expect(packages).toContain('fastify')
  expect(packages).not.toContain('ajv')
  expect(modules).not.toContain('NativeModule http2')
})
