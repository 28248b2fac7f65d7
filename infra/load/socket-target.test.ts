import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { openSocketTarget } from './socket-target.ts'

interface Bid {
  readonly auctionId: number
  readonly amount: number
  readonly bidId: string
}

let server: WebSocketServer
let url: string
/** The bids of each socket that are not answered yet. */
let asked: Map<WebSocket, Bid[]>

beforeEach(async () => {
  asked = new Map()
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  server.on('connection', (socket) => {
    asked.set(socket, [])
    socket.send('{"type":"connected","serverTime":"2026-01-01T00:00:00.000Z"}')
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Bid & { type: string }
      if (frame.type === 'auth') socket.send('{"type":"auth_success","userId":1}')
      else asked.get(socket)?.push(frame)
    })
  })
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`
})

afterEach(() => {
  for (const client of server.clients) client.terminate()
  server.close()
})

const tokens = [1, 2].map((userId) => ({ userId, token: `token-${userId}` }))

function accept(socket: WebSocket, { auctionId, amount, bidId }: Bid, seq: number): void {
  socket.send(JSON.stringify({ type: 'bidAccepted', message: 'Bid Accepted', auctionId, bidId, amount, seq }))
}

async function untilAsked(count: number): Promise<[WebSocket, Bid[]][]> {
  while ([...asked.values()].flat().length < count) await new Promise((resolve) => setImmediate(resolve))
  return [...asked]
}

describe('bids through sockets', () => {
  it('are answered by auction, in whatever order the answers come', async () => {
    const target = await openSocketTarget({ url, tokens, bidsPerSocket: 3 })
    const answers: Promise<[number, number]>[] = []
    for (const auctionId of [7, 8, 9]) {
      answers.push(new Promise((resolve) => target.place(auctionId, 1050, (seq) => resolve([auctionId, seq]))))
    }
    const [[socket, bids]] = (await untilAsked(3)).filter(([, each]) => each.length > 0) as [[WebSocket, Bid[]]]
    expect(bids.map(({ amount }) => amount)).toEqual([10.5, 10.5, 10.5])
    for (const bid of bids.toReversed()) accept(socket, bid, bid.auctionId * 100)
    expect(await Promise.all(answers)).toEqual([
      [7, 700],
      [8, 800],
      [9, 900],
    ])
    await target.close()
  })

  it('go to the next socket when one has enough, and each has an id of its own', async () => {
    const target = await openSocketTarget({ url, tokens, bidsPerSocket: 2 })
    for (let bid = 0; bid < 4; bid++) target.place(7, 1000 + bid, () => {})
    const sockets = await untilAsked(4)
    expect(sockets.map(([, bids]) => bids.length)).toEqual([2, 2])
    expect(new Set(sockets.flatMap(([, bids]) => bids.map(({ bidId }) => bidId))).size).toBe(4)
    await target.close()
  })

  it('are counted by what refused them, also when the connection did', async () => {
    const target = await openSocketTarget({ url, tokens: tokens.slice(0, 1), bidsPerSocket: 2 })
    const answers = [7, 8].map((auctionId) => new Promise((resolve) => target.place(auctionId, 1050, resolve)))
    const [[socket]] = (await untilAsked(2)) as [[WebSocket, Bid[]]]
    socket.send(JSON.stringify({ type: 'error', message: '', code: 'bid-too-low', auctionId: 7 }))
    expect(await answers[0]).toBe(0)
    socket.terminate()
    expect(await answers[1]).toBe(0)
    expect([...target.refusals]).toEqual([
      ['bid-too-low', 1],
      ['closed', 1],
    ])
  })
})
