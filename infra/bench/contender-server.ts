// A contender behind sockets, as a process of its own: node contender-server.ts <port> <design> <connections> <database url>
import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Design, openContender } from './contenders.ts'

interface Frame {
  readonly type: string
  readonly auctionId: number
  readonly amount: number
  readonly bidId?: string
}

const [port, design, connections, url] = process.argv.slice(2)
const contender = openContender({ design: design as Design, url: url ?? '', connections: Number(connections) })
const server = createServer((_request, response) => response.end('ready'))
const sockets = new WebSocketServer({ server, path: '/ws', perMessageDeflate: false })
sockets.on('connection', (socket) =>
  socket.on('message', (data: Buffer) => receive(socket, JSON.parse(data.toString()))),
)
server.listen(Number(port), '127.0.0.1')
process.on('disconnect', () => process.exit(0))

/** Whoever signs in is believed: what is measured is the way of a bid. */
function receive(socket: WebSocket, { type, auctionId, amount, bidId }: Frame): void {
  if (type === 'auth') return socket.send('{"type":"auth_success","userId":1}')
  contender.place(auctionId, Math.round(amount * 100), (seq) => {
    socket.send(
      seq > 0
        ? JSON.stringify({ type: 'bidAccepted', message: 'Bid Accepted', auctionId, bidId, amount, seq })
        : JSON.stringify({ type: 'error', message: 'Your bid is too low.', code: 'bid-too-low', auctionId, bidId }),
    )
  })
}
