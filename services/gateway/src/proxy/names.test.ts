import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { followNames } from './names.ts'
import { Copies } from './upstreams.ts'

/** A copy of a service on an address of its own, as containers have: all with the same port. */
class Copy {
  status = 200
  asked = 0
  readonly #server: Server
  readonly #address: string

  constructor(address: string) {
    this.#address = address
    this.#server = createServer((request, response) => {
      if (request.url === '/readyz') this.asked++
      response.writeHead(this.status).end()
    })
  }

  async start(port = 0): Promise<number> {
    this.#server.listen(port, this.#address)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }
}

let first: Copy
let second: Copy
let port: number
/** What the name server says. */
let known: readonly string[]
let following: { readonly stop: () => void } | undefined

beforeEach(async () => {
  first = new Copy('127.0.0.1')
  second = new Copy('127.0.0.2')
  port = await first.start()
  await second.start(port)
  known = ['127.0.0.1', '127.0.0.2']
})
afterEach(async () => {
  following?.stop()
  await Promise.all([first.stop(), second.stop()])
})

const at = (address: string) => `http://${address}:${port}`
const lookUp = async () => {
  if (known.length === 0) throw new Error('no such name')
  return known
}

function follow(): Copies {
  const urls = [at('messages')]
  const copies = new Copies(urls)
  following = followNames(copies, urls, lookUp)
  return copies
}

/** Who is asked when as many ask as there are copies, and one more. */
function inTurn(copies: Copies): string[] {
  return [...new Set(Array.from({ length: copies.count + 1 }, () => copies.take(performance.now())))].sort()
}

describe('the copies behind a name', () => {
  it('are all of those that it leads to', async () => {
    const copies = follow()
    await eventually(() => expect(inTurn(copies)).toEqual([at('127.0.0.1'), at('127.0.0.2')]))
  })

  it('get work when they are ready, and not while they start', async () => {
    second.status = 503
    const copies = follow()
    await eventually(() => expect(second.asked).toBeGreaterThan(2))
    expect(inTurn(copies)).toEqual([at('127.0.0.1')])
    second.status = 200
    await eventually(() => expect(inTurn(copies)).toEqual([at('127.0.0.1'), at('127.0.0.2')]))
  })

  it('are forgotten with their address, and found again at another', async () => {
    known = ['127.0.0.1']
    const copies = follow()
    await eventually(() => expect(inTurn(copies)).toEqual([at('127.0.0.1')]))
    known = ['127.0.0.2']
    await eventually(() => expect(inTurn(copies)).toEqual([at('127.0.0.2')]))
  })

  it('stay what they were while nobody says where the name leads', async () => {
    const copies = follow()
    await eventually(() => expect(copies.count).toBe(2))
    known = []
    const { asked } = first
    // Whoever is avoided is asked: so another look is over.
    copies.avoid(at('127.0.0.1'), performance.now())
    await eventually(() => expect(first.asked).toBeGreaterThan(asked))
    await eventually(() => expect(inTurn(copies)).toEqual([at('127.0.0.1'), at('127.0.0.2')]))
  })

  it('that were out of reach are passed over until they answer', async () => {
    const copies = follow()
    await eventually(() => expect(inTurn(copies)).toHaveLength(2))
    await second.stop()
    await eventually(() => {
      // As by whoever cannot reach it: once more where a machine that others use has looked too late for the first time.
      if (copies.avoided(performance.now()).length === 0) copies.avoid(at('127.0.0.2'), performance.now())
      // Longer than whoever has no name is passed over.
      expect(copies.avoided(performance.now() + 60_000)).toEqual([at('127.0.0.2')])
    })
    await second.start(port)
    await eventually(() => expect(inTurn(copies)).toHaveLength(2))
  })
})

describe('addresses without a name', () => {
  it('are nobody to look up', async () => {
    const urls = [at('127.0.0.1'), at('127.0.0.2'), 'http://[::1]:8080', 'https://messages.example.com']
    const copies = new Copies(urls)
    following = followNames(copies, urls, async () => expect.unreachable())
    expect(inTurn(copies)).toEqual(urls.toSorted())
  })
})
