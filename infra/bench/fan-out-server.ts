// The sending side of the fan-out bench, as a process of its own: node fan-out-server.ts <port>
// Watchers come to /ws; GET /<bare or hub>/<groups>/<frames per group> sends to them and answers what it cost.
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { encodeLive } from '@wangian/contracts/auction-wire.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { type WebSocket, WebSocketServer } from 'ws'
import { Room, type Watcher } from '../../services/gateway/src/sockets/rooms.ts'
import { SocketWriter } from '../../services/gateway/src/sockets/socket-writer.ts'

export interface FanOutResult {
  /** Processor time of this process, in ms. */
  readonly cpuMs: number
}

const AUCTION_ID = 1
const WATCHER_ID = 7
/** The sockets drain meanwhile, so that every group starts with empty buffers. */
const PAUSE_MS = 30

const sockets: WebSocket[] = []
const noBus = { subscribe: () => ({ unsubscribe: () => {} }) } as unknown as NatsConnection
const room = new Room(AUCTION_ID, noBus, async () => '{"type":"auctionJoined"}', silentLogger)

const server = createServer((request, response) => {
  const [, how, groups, frames] = (request.url ?? '').split('/')
  if (how !== 'bare' && how !== 'hub') return response.end('ready')
  const send = how === 'bare' ? sendBare : sendThroughRoom
  return void measured(() => send(Number(groups), Number(frames))).then((result) =>
    response.end(JSON.stringify(result)),
  )
})
const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false })
server.on('upgrade', (request, socket: Socket, head) => {
  upgrades.handleUpgrade(request, socket, head, (ws) => {
    socket.setNoDelay(true)
    sockets.push(ws)
    const watcher: Watcher = { writer: new SocketWriter(socket), onStalled: () => process.exit(1) }
    // Whatever a watcher says, it wants to join.
    ws.once('message', () => void room.join(watcher))
  })
})
server.listen(Number(process.argv[2]), '127.0.0.1')
process.on('disconnect', () => process.exit(0))

async function measured(send: () => Promise<void>): Promise<FanOutResult> {
  const before = process.cpuUsage()
  await send()
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000 }
}

/** What one writes first: make the text once, then `send` it to everybody. */
async function sendBare(groups: number, framesPerGroup: number): Promise<void> {
  for (let group = 0; group < groups; group++) {
    for (let frame = 0; frame < framesPerGroup; frame++) {
      const { head, tail } = bidFrame(group, frame)
      const text = head + tail
      for (const ws of sockets) ws.send(text)
    }
    await wait(PAUSE_MS)
  }
}

/** The same frames as the bus would bring them. All are of the kind that may not be merged, so that all are sent. */
async function sendThroughRoom(groups: number, framesPerGroup: number): Promise<void> {
  const probe = new Probe()
  await room.join(probe)
  for (let group = 0; group < groups; group++) {
    const flushed = probe.nextFlush()
    for (let frame = 0; frame < framesPerGroup; frame++) {
      const { head, tail } = bidFrame(group, frame)
      room.receive(encodeLive('e', head, tail))
    }
    await flushed
    await wait(PAUSE_MS)
  }
  room.leave(probe)
}

/** About 400 bytes, as a new bid is shown. */
function bidFrame(group: number, frame: number): { head: string; tail: string } {
  const seq = group * 100 + frame + 1
  const at = '2026-01-01T00:00:00.000Z'
  const bid = `{"id":${seq},"bidderId":${WATCHER_ID},"bidderName":"mei","amount":${seq / 10},"placedAt":"${at}"}`
  const state = `{"status":"active","currentBid":${seq / 10},"currentBidderId":${WATCHER_ID},"bidCount":${seq},"minimumBid":${(seq + 1) / 10},"endsAt":"${at}"}`
  return {
    head: `{"type":"newBid","auctionId":${AUCTION_ID},"bid":${bid},`,
    tail: `"auction":${state},"seq":${seq},"serverTime":"${at}"}`,
  }
}

/** The last one in the room: when it is written to, so was everybody. */
class Probe implements Watcher {
  #onFlush: () => void = () => {}
  readonly writer = {
    backlog: 'fine',
    write: () => this.#onFlush(),
    queue: () => {},
  } as unknown as SocketWriter

  nextFlush(): Promise<void> {
    return new Promise((resolve) => {
      this.#onFlush = resolve
    })
  }

  onStalled(): void {}
}
