import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { repositoryRoot } from './config.ts'
import { databaseServices, mainScript } from './services.ts'

/** What a process loads when somebody first needs it: until then it would hold memory and keep the start waiting. */
const laterPackages = ['aws4fetch', 'file-type', 'node-pg-migrate', 'nodemailer', 'sharp', 'web-push']

/** Prints the address of each module that was loaded, at the end. */
const listing = `
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) })
  process.on('exit', () => writeSync(1, JSON.stringify([...loaded])))`

/** Packages of which something is loaded. */
async function packagesLoadedBy(...node: readonly string[]): Promise<Set<string>> {
  const preload = `data:text/javascript,${encodeURIComponent(listing)}`
  // Without settings a service ends before it connects to anything, when it has loaded what it is made of.
  const { PATH } = process.env
  const ran = promisify(execFile)(process.execPath, ['--import', preload, ...node], { env: { PATH } })
  const { stdout } = await ran.catch((error: { stdout: string }) => error)
  const urls: string[] = JSON.parse(stdout.slice(stdout.lastIndexOf('[')))
  return new Set(urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? 'our own'))
}

it.each([...databaseServices, 'gateway'] as const)('%s leaves what is seldom needed for later', async (service) => {
  const packages = await packagesLoadedBy(mainScript(repositoryRoot, service) ?? '')
  expect(packages).toContain('zod')
  for (const name of laterPackages) expect(packages).not.toContain(name)
})

it('an app has no second set of schemas', async () => {
  const http = pathToFileURL(`${repositoryRoot}/packages/kit/src/http/http.ts`).href
  const packages = await packagesLoadedBy(
    '--eval',
    `import(${JSON.stringify(http)}).then((kit) => kit.createApp({ name: 'empty' }))`,
  )
  expect(packages).toContain('fastify')
  expect(packages).not.toContain('ajv')
})
