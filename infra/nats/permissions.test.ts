import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { auctionRequests } from '@wangian/contracts/auction.ts'
import { boostRequests } from '@wangian/contracts/boost.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import { shopRequests } from '@wangian/contracts/shop.ts'
import {
  eventStreamName,
  eventSubject,
  type LoggingService,
  loggingServices,
  requestSubject,
} from '@wangian/contracts/subjects.ts'
import { connectNats, newInbox } from '@wangian/kit/bus/nats.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadNatsPasswords, type NatsServer, natsUrlFor, startNats } from '../local/servers/nats.ts'
import { rootDirectory } from '../test/config.ts'
import { type NatsUser, natsUsers, permissionsOf } from './permissions.ts'

let dataDir: string
let server: NatsServer
const said: string[] = []
const connections = new Map<NatsUser, NatsConnection>()

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-permissions-'))
  const passwords = loadNatsPasswords(dataDir)
  server = await startNats({ dataDir, passwords, log: (line) => said.push(line) })
  for (const user of natsUsers) {
    connections.set(user, await connectNats({ url: natsUrlFor(user, passwords, server.port), name: user }))
  }
})
afterAll(async () => {
  await Promise.all([...connections.values()].map((connection) => connection.close()))
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

function connectionOf(user: NatsUser): NatsConnection {
  const connection = connections.get(user)
  if (connection === undefined) throw new Error(`${user} is connected`)
  return connection
}

/** Whether what this user publishes there arrives anywhere. */
async function arrives(user: NatsUser, subject: string): Promise<boolean> {
  const operator = connectionOf('operator')
  let isThere = false
  const subscription = operator.subscribe(subject, {
    callback: () => {
      isThere = true
    },
  })
  await operator.flush()
  connectionOf(user).publish(subject, 'x')
  await connectionOf(user).flush()
  await operator.flush()
  subscription.unsubscribe()
  return isThere
}

/** Whether this user gets what is published there. */
async function hears(user: NatsUser, subject: string): Promise<boolean> {
  let isHeard = false
  const subscription = connectionOf(user).subscribe(subject, {
    callback: (error) => {
      isHeard ||= error === null
    },
  })
  await connectionOf(user).flush()
  connectionOf('operator').publish(subject, 'x')
  await connectionOf('operator').flush()
  await connectionOf(user).flush()
  subscription.unsubscribe()
  return isHeard
}

describe('on the bus', () => {
  it.each<readonly [NatsUser, string, boolean]>([
    ['auction', 'events.auction.BidPlaced', true],
    ['gateway', 'events.auction.BidPlaced', false],
    ['catalogue', 'events.identity.UserBanned', false],
    ['admin', 'request.identity.set-banned', true],
    ['gateway', 'request.identity.set-banned', false],
    ['messaging', 'request.identity.set-banned', false],
    ['admin', 'request.auction.get-status', true],
    ['admin', 'request.admin.discard-parked', true],
    ['gateway', 'request.auction.get-status', false],
    ['catalogue', 'request.messaging.read-stream', false],
    ['boost', 'request.catalogue.feature-listing', true],
    ['gateway', 'request.catalogue.feature-listing', false],
    ['gateway', 'request.messaging.send-message', true],
    ['catalogue', 'request.messaging.send-message', false],
    ['gateway', 'auction.bids.5', true],
    ['gateway', 'auction.owner.one', true],
    ['gateway', 'auction.command.5', false],
    ['auction', 'auction.command.5', true],
    ['auction', 'auction.bids.5', false],
    ['catalogue', 'auction.command.5', false],
    ['catalogue', 'request.auction.withdraw-auction', true],
    ['gateway', 'request.auction.withdraw-auction', false],
    ['identity', 'identity.revoked', true],
    ['gateway', 'identity.revoked', false],
    ['auction', 'auction.live.5', true],
    ['messaging', 'auction.live.5', false],
    ['messaging', 'user.live.7', true],
    ['auction', 'user.live.7', false],
    ['catalogue', 'request.identity.read-log', true],
    ['gateway', 'request.identity.read-log', false],
    ['messaging', 'request.messaging.read-events', true],
    ['identity', 'request.admin.read-events', false],
    ['catalogue', '$JS.API.STREAM.PURGE.EVENTS_IDENTITY', false],
    ['auction', '$JS.API.STREAM.DELETE.EVENTS_AUCTION', false],
  ])('%s says %s: %s', async (user, subject, isAllowed) => {
    expect(await arrives(user, subject)).toBe(isAllowed)
  })

  it.each(natsUsers.filter((user) => user !== 'operator'))('%s says nothing in the name of another', async (user) => {
    for (const service of loggingServices) {
      expect([service, await arrives(user, eventSubject(service, 'Anything'))]).toEqual([service, user === service])
      expect(await arrives(user, `$JS.API.STREAM.DELETE.${eventStreamName(service)}`)).toBe(false)
    }
    expect(await arrives(user, 'anything')).toBe(false)
  })

  it.each<readonly [NatsUser, string, boolean]>([
    ['gateway', 'auction.live.5', true],
    ['gateway', 'user.live.7', true],
    ['catalogue', 'user.live.7', false],
    ['identity', 'request.identity.set-banned', true],
    ['messaging', 'request.identity.set-banned', false],
    ['auction', 'auction.bids.5', true],
    ['auction', 'auction.command.5', true],
    ['gateway', 'auction.bids.5', false],
    ['gateway', 'auction.command.5', false],
    ['catalogue', 'identity.revoked', true],
    ['gateway', 'events.identity.UserRegistered', false],
  ])('%s hears %s: %s', async (user, subject, isAllowed) => {
    expect(await hears(user, subject)).toBe(isAllowed)
  })

  it('hear their own answers, and nobody hears those of others', async () => {
    for (const user of natsUsers) {
      const inbox = newInbox(connectionOf(user))
      expect(await hears(user, inbox)).toBe(true)
      const other = user === 'gateway' ? 'catalogue' : 'gateway'
      expect(await hears(other, inbox)).toBe(false)
    }
  })

  it('has its password in no file of the server, which warns of none', () => {
    expect(said.join('\n')).not.toMatch(/password/i)
    const file = readFileSync(join(dataDir, 'nats', 'nats-server.conf'), 'utf8')
    for (const password of Object.values(loadNatsPasswords(dataDir))) expect(file).not.toContain(password)
  })

  it('is nobody without a password, and passwords are the owner’s to read', async () => {
    const servers = `127.0.0.1:${server.port}`
    await expect(connect({ servers, reconnect: false })).rejects.toThrow('Authorization')
    await expect(connect({ servers, user: 'gateway', pass: 'wrong', reconnect: false })).rejects.toThrow(
      'Authorization',
    )
    expect(statSync(join(dataDir, 'nats', 'nats-server.conf')).mode & 0o077).toBe(0)
  })
})

const requests: Readonly<Record<string, Readonly<Record<string, { readonly name: string }>>>> = {
  auctionRequests,
  boostRequests,
  catalogueRequests,
  identityRequests,
  messagingRequests,
  shopRequests,
}

/** What the sources of a user ask of others, by name. */
function asked(user: NatsUser): string[] {
  const sources = globSync(`services/${user}/src/**/*.ts`, { cwd: rootDirectory }).filter(
    (path) => !/\.test\.ts$|\/testing\//.test(path),
  )
  return sources.flatMap((path) => {
    const text = readFileSync(join(rootDirectory, path), 'utf8')
    return [...text.matchAll(/\b(?:request|ask)\(\s*[\w.#]+,\s*'(\w+)',\s*(\w+)\.(\w+)/g)].map(
      ([, of, contract = '', request = '']) => {
        const name = requests[contract]?.[request]?.name
        if (name === undefined) throw new Error(`${path} asks ${contract}.${request}, which is nowhere`)
        return requestSubject(of as LoggingService, name)
      },
    )
  })
}

it.each(natsUsers.filter((user) => user !== 'operator'))('%s may ask all that it asks', (user) => {
  const { publish } = permissionsOf(user)
  const subjects = asked(user)
  expect(subjects.filter((subject) => !publish.includes(subject))).toEqual([])
  expect(subjects.length).toBeGreaterThan(0)
})
