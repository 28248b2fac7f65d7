import { once } from 'node:events'
import { clientFrames, FRAME_MAX_BYTES, ServerFrame } from '@wangian/contracts/frames.ts'
import fc, { type Arbitrary } from 'fast-check'
import { WebSocket } from 'ws'
import { around, hostileText, hostileValue, nested } from './hostile-values.ts'
import { callers, type FuzzSite } from './site.ts'

const FRAMES_MAX = 12
const SOCKETS_PER_ROUND = 20
const ANSWER_TIMEOUT_MS = 15_000
/** Of an auction that nobody opens. */
const GOODBYE_AUCTION = Number.MAX_SAFE_INTEGER - 1

interface Sent {
  readonly data: string | Buffer
  readonly isBinary?: boolean
  readonly isCut?: boolean
}

const rawFrames: readonly Sent[] = [
  { data: '' },
  { data: '{' },
  { data: 'null' },
  { data: '[]' },
  { data: '{"type":"placeBid","__proto__":{"auctionId":1}}' },
  { data: '{"__proto__":{"type":"placeBid"}}' },
  { data: '{"type":"__proto__"}' },
  { data: '{"type":"constructor"}' },
  { data: '{"type":["placeBid"]}' },
  { data: '{"type":"joinAuction","auctionId":1e999}' },
  { data: JSON.stringify({ type: 'joinAuction', auctionId: nested(1000) }) },
  { data: '['.repeat(FRAME_MAX_BYTES) },
  { data: JSON.stringify({ type: 'auth', token: 'x'.repeat(FRAME_MAX_BYTES - 100) }) },
  { data: 'x'.repeat(FRAME_MAX_BYTES + 1) },
  { data: Buffer.from([0, 1, 2]), isBinary: true },
  { data: Buffer.from('{"type":"joinAuction","auctionId":1}'), isBinary: true },
  { data: '{"type":"joinAuction","auctionId":1}', isCut: true },
]

/** A frame of the contracts with any parts in it, one that is about a real auction or person, or none at all. */
function frameFor(site: FuzzSite): Arbitrary<Sent> {
  const declared = Object.entries(clientFrames).map(([type, schema]) =>
    around(schema).map((frame) => (typeof frame === 'object' ? { ...frame, type } : frame)),
  )
  const { id: auctionId, sellerId } = site.auction
  const about = fc.oneof(
    fc.record({
      type: fc.constantFrom('placeBid', 'joinAuction', 'leaveAuction'),
      auctionId: fc.constant(auctionId),
      amount: fc.oneof(hostileValue, fc.constantFrom<unknown>(11, 12.5, 9_999_999.99, 1e21)),
    }),
    fc.record({
      type: fc.constantFrom('send_message', 'send_action_message', 'mark_read', 'get_conversation'),
      actionType: fc.constantFrom<unknown>('INITIATE', 'REVIEW', null),
      amount: fc.oneof(hostileValue, fc.constantFrom<unknown>(undefined, 12.5)),
      receiverId: fc.constant(sellerId),
      userId: fc.constant(sellerId),
      senderId: fc.constantFrom(undefined, sellerId),
      content: fc.oneof(hostileText, hostileValue),
      productId: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: hostileValue }),
    }),
  )
  return fc.oneof(
    { weight: 4, arbitrary: fc.oneof(...declared).map((frame) => ({ data: JSON.stringify(frame) ?? '' })) },
    { weight: 4, arbitrary: about.map((frame) => ({ data: JSON.stringify(frame) })) },
    { weight: 1, arbitrary: fc.constantFrom(...rawFrames) },
  )
}

/**
 * Some sockets, one after the other, each with some frames.
 * @returns what was wrong, and the number of frames
 */
export async function fuzzFrames(site: FuzzSite, seed: number): Promise<{ faults: string[]; frames: number }> {
  const plan = fc.record({
    caller: fc.constantFrom(...callers),
    frames: fc.array(frameFor(site), { minLength: 1, maxLength: FRAMES_MAX }),
  })
  const faults: string[] = []
  let frames = 0
  for (const drawn of fc.sample(plan, { seed, numRuns: SOCKETS_PER_ROUND })) {
    const before = site.complaints.length
    const fault = await faultOf(site, site.tokens[drawn.caller], drawn.frames)
    const said = site.complaints.slice(before)
    for (const problem of [...(fault === null ? [] : [fault]), ...said]) {
      const sent = drawn.frames.map(({ data }) => JSON.stringify(data.toString()).slice(0, 300))
      faults.push(`${problem}\n  of seed ${seed}, ${drawn.caller}:\n  ${sent.join('\n  ')}`)
    }
    frames += drawn.frames.length
  }
  return { faults, frames }
}

async function faultOf(site: FuzzSite, token: string | null, frames: readonly Sent[]): Promise<string | null> {
  const socket = new WebSocket(`${site.url.replace('http', 'ws')}/ws`)
  const received: string[] = []
  let onFrame = () => {}
  socket.on('message', (data) => {
    received.push(String(data))
    onFrame()
  })
  // Frames that are too large are answered by a close, and what is written after that is lost.
  socket.on('error', () => {})
  try {
    await once(socket, 'open')
    if (token !== null) socket.send(JSON.stringify({ type: 'auth', token }))
    for (const { data, isBinary = false, isCut = false } of frames) {
      if (isCut) {
        socket.send(data.slice(0, 5), { fin: false, binary: isBinary })
        socket.send(data.slice(5), { fin: true })
      } else socket.send(data, { binary: isBinary })
    }
    socket.send(JSON.stringify({ type: 'joinAuction', auctionId: GOODBYE_AUCTION }))
    const isDone = () =>
      socket.readyState >= socket.CLOSING || received.some((frame) => frame.includes(`"auctionId":${GOODBYE_AUCTION}`))
    const deadlineMs = performance.now() + ANSWER_TIMEOUT_MS
    while (!isDone()) {
      const leftMs = deadlineMs - performance.now()
      if (leftMs <= 0) return 'the last frame was not answered'
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, leftMs)
      onFrame = resolve
      socket.once('close', () => resolve())
      await promise
      clearTimeout(timer)
    }
  } finally {
    socket.terminate()
  }
  return received.map(judgeFrame).find((fault) => fault !== null) ?? null
}

function judgeFrame(text: string): string | null {
  const parsed = ServerFrame.safeParse(JSON.parse(text))
  if (!parsed.success) return `a frame that is not declared: ${text.slice(0, 500)}`
  const { data } = parsed
  const isOurFault = data.type === 'error' && /^(internal|unavailable|busy|outcome-unknown)$/.test(data.code)
  return isOurFault ? `${text}` : null
}
