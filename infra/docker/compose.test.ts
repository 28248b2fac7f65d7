import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { variableName } from '@wangian/kit/service/config.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../local/config.ts'
import { NODE_FLAGS } from '../local/processes/service-process.ts'
import { connectionsNeeded } from '../local/servers/connections.ts'
import { natsVersionCurrent } from '../local/servers/nats-version.ts'
import { postgresSettings } from '../local/servers/postgres.ts'
import { databaseServices } from '../local/services.ts'
import { makeSecrets } from './secrets.ts'
import { type Container, readComposeFile } from './testing/compose-file.ts'
import { readServiceConfig } from './testing/service-config.ts'

const containers = readComposeFile()
/** By container: the service's `main.ts`. */
const services = [...containers].flatMap(([name, { command }]): (readonly [string, string])[] =>
  typeof command !== 'string' && command[0]?.startsWith('services/') ? [[name, command[0]]] : [],
)

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wangian-compose-'))
  makeSecrets(join(directory, 'secrets'), 'localhost')
})
afterAll(() => rmSync(directory, { recursive: true }))

function containerOf(name: string): Container {
  const container = containers.get(name)
  if (container === undefined) throw new Error(`docker-compose.yml has no ${name}`)
  return container
}

/** What the processes of a container see; its secrets are where its volumes say that they come from. */
function environmentOf(name: string, variables: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { environment, volumes } = readComposeFile(variables).get(name) ?? containerOf(name)
  const folders = volumes.map((volume) => volume.split(':') as [string, string])
  const placed = Object.entries(environment).map(([variable, value]) => {
    const [from, to] = folders.find(([, inside]) => value.startsWith(`${inside}/`)) ?? ['', '']
    return [variable, from === '' ? value : join(directory, from, value.slice(to.length))]
  })
  return Object.fromEntries(placed)
}

describe('a service in a container', () => {
  it('is there for every service, and auction for owners and for readers', () => {
    const expected = databaseServices.flatMap((name) => (name === 'auction' ? [name, 'auction-pages'] : [name]))
    expect(services.map(([name]) => name)).toEqual([...expected, 'gateway'])
    expect(containerOf('auction').environment['AUCTION_ROLE']).toBe('owner')
    expect(containerOf('auction-pages').environment['AUCTION_ROLE']).toBe('pages')
  })

  it.each(services)('%s is told all that it demands, and nothing that it does not know', (name, script) => {
    const environment = environmentOf(name)
    const { problems, config } = readServiceConfig(script, environment)
    expect(problems).toBe('')
    expect(config).toMatchObject({ nodeEnv: 'production', publicUrl: 'https://localhost:8443' })
    const known = new Set(Object.keys(config).map(variableName))
    const isEmpty = ([variable, value]: [string, string]) =>
      variable.endsWith('_FILE') ? readFileSync(value, 'utf8').trim() === '' : value === ''
    const given = Object.entries(environment).filter((entry) => !isEmpty(entry))
    expect(given.map(([variable]) => variable.replace(/_FILE$/, '')).filter((each) => !known.has(each))).toEqual([])
  })

  it.each(services)('%s has a name of its own, however many there are of it', (name) => {
    expect(containerOf(name).environment['INSTANCE_ID']).toBe(`${name}-{hostname}`)
  })

  it.each(services)('%s can be scaled: nothing of it is there only once', (name) => {
    const { container_name, ports } = containerOf(name)
    expect({ container_name, ports }).toEqual({ container_name: undefined, ports: [] })
  })

  it('is found by its name alone, which leads to all its copies', () => {
    const { environment } = containerOf('gateway')
    const told = Object.entries(environment).filter(
      ([variable]) => /_URLS?$/.test(variable) && variable !== 'PUBLIC_URL',
    )
    const hosts = told.filter(([, value]) => value !== '').map(([, value]) => value)
    const reached = services.map(([name]) => name).filter((name) => name !== 'gateway' && name !== 'auction')
    expect(hosts.sort()).toEqual(reached.map((name) => `http://${name}:8080`).sort())
  })

  it.each(services)('%s may write nothing but to memory, and sees no secrets but its own', (name) => {
    const { read_only, cap_drop, security_opt, user, volumes } = containerOf(name)
    expect({ read_only, cap_drop, security_opt, user }).toEqual({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      user: undefined,
    })
    const folder = name === 'auction-pages' ? 'auction' : name
    expect(volumes).toEqual([`./secrets/${folder}:/run/secrets:ro`])
  })

  it.each([
    ...services.map(([name, script]) => [name, script, 'OTEL_TRACES_SAMPLER_ARG', '0.1'] as const),
    ['gateway', 'services/gateway/src/main.ts', 'RENDER_PAGES', 'no'] as const,
    ['messaging', 'services/messaging/src/main.ts', 'PUSH_SERVICES', 'https://push.example.com'] as const,
  ])('%s (%s) hears of %s in .env', (name, script, variable, value) => {
    const { problems, config } = readServiceConfig(script, environmentOf(name, { [variable]: value }))
    expect(problems).toBe('')
    const told = Object.entries(config).find(([key]) => variableName(key) === variable)
    expect(String(told?.[1])).toBe(value)
  })

  it.each(services)('%s is in production, whatever the shell is that starts it', (name, script) => {
    const { config } = readServiceConfig(script, environmentOf(name, { NODE_ENV: 'development' }))
    expect(config['nodeEnv']).toBe('production')
  })

  it('is refused by its own rules when an operator forgets something', () => {
    const environment = environmentOf('identity', { PUBLIC_URL: 'http://shop.example.com', FACEBOOK_APP_ID: '4711' })
    const { status, problems } = readServiceConfig('services/identity/src/main.ts', environment)
    expect(status).toBe(78)
    expect(problems).toContain('FACEBOOK_APP_SECRET is missing')
  })
})

describe('the containers together', () => {
  it('open to others nothing but the load balancer', () => {
    const open = [...containers].filter(([, { ports }]) => ports.some((port) => !port.startsWith('127.0.0.1:')))
    expect(open.map(([name]) => name)).toEqual(['load-balancer'])
    const reached = [...containers].filter(([, { networks }]) => networks.includes('edge')).map(([name]) => name)
    expect(reached).toEqual(['gateway', 'load-balancer'])
  })

  it('have Postgres and NATS as a local start has them', () => {
    const { command, image } = containerOf('postgres')
    const settings = [...String(command).matchAll(/-c (\w+)=(\S+)/g)].map(([, name, value]) => [name, value])
    const { max_connections, ...others } = Object.fromEntries(settings)
    expect(others).toEqual(postgresSettings)
    // For three owners, each twice for a moment in an upgrade, and every other service twice.
    expect(Number(max_connections)).toBeGreaterThanOrEqual(connectionsNeeded(6, 2))
    expect(image).toBe('postgres:18')
    expect(containerOf('nats').image).toBe(`nats:${natsVersionCurrent}-alpine`)
  })

  it('are prepared with the secrets of every service that has a database', () => {
    const { volumes } = containerOf('prepare')
    const mounts = ['prepare', ...databaseServices].map((name) => `./secrets/${name}:/run/secrets/${name}:ro`)
    expect(volumes).toEqual(mounts)
  })

  it('are built with the pnpm that a checkout uses', () => {
    const pnpm = (path: string) => /pnpm@[\d.]+/.exec(readFileSync(join(repositoryRoot, path), 'utf8'))?.[0]
    expect(pnpm('infra/docker/Dockerfile')).toBe(pnpm('infra/local/with-node24.mjs'))
  })

  it('may take as long to start as in Kubernetes', () => {
    const dockerfile = readFileSync(join(repositoryRoot, 'infra/docker/Dockerfile'), 'utf8')
    const everyService = readFileSync(join(repositoryRoot, 'infra/k8s/every-service.yaml'), 'utf8')
    const startMinutes = Number(/ --start-period=(\d+)m /.exec(dockerfile)?.[1])
    const [, periodS, count] = /startupProbe: .*periodSeconds: (\d+), failureThreshold: (\d+)/.exec(everyService) ?? []
    expect(startMinutes * 60).toBe(Number(periodS) * Number(count))
  })

  it('run Node as a checkout does', () => {
    const dockerfile = readFileSync(join(repositoryRoot, 'infra/docker/Dockerfile'), 'utf8')
    expect(dockerfile.match(/^ENTRYPOINT (.*)$/m)?.[1]).toBe(JSON.stringify(['node', ...NODE_FLAGS]).replace(',', ', '))
  })
})
