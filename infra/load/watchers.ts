import { LeanSocket } from './lean-socket.ts'

export interface Watchers {
  /** How many frames and bytes all of them have got since they joined. */
  readonly frames: number
  readonly bytes: number
  /** How many were closed by the server. */
  readonly closed: number
  close(): Promise<void>
}

const OPENING_AT_ONCE_MAX = 50

/** Guests who follow one auction. They read everything and look at nothing. */
export async function openWatchers(url: string, auctionId: number, count: number): Promise<Watchers> {
  let frames = 0
  let bytes = 0
  let closed = 0
  let isClosing = false
  const sockets: LeanSocket[] = []
  const open = async () => {
    const joined = Promise.withResolvers<void>()
    let isJoined = false
    const socket = await LeanSocket.open(url, {
      onText(data, start, end) {
        frames++
        bytes += end - start
        if (isJoined || !data.toString('latin1', start, end).startsWith('{"type":"auctionJoined"')) return
        isJoined = true
        joined.resolve()
      },
      onClose() {
        if (!isClosing) closed++
        joined.reject(new Error('a watcher was closed before it had joined'))
      },
    })
    socket.send(JSON.stringify({ type: 'joinAuction', auctionId, userId: 'guest' }))
    await joined.promise
    return socket
  }
  while (sockets.length < count) {
    const opening = Math.min(OPENING_AT_ONCE_MAX, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: opening }, open))))
  }
  return {
    get frames() {
      return frames
    },
    get bytes() {
      return bytes
    },
    get closed() {
      return closed
    },
    async close() {
      isClosing = true
      await Promise.all(sockets.map((socket) => socket.close()))
    },
  }
}
