import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import type { Market, Seat, Trader } from '../rig/market.ts'

const AGAIN_AFTER_MS = 100
/** Longer than the gateway waits for messaging. */
const ANSWER_WITHIN_MS = 3000

/** Somebody who is signed in, as far as a socket cares. */
type Writer = Pick<Trader, 'userId' | 'username' | 'token'>

export interface Writing {
  /** What was shown as sent, in its order. */
  readonly shown: readonly string[]
  /** How often a message was refused, or had no answer. */
  refusedCount(): number
  stop(): Promise<void>
}

/** Somebody who writes one message after the other, each until it is shown as sent. */
export function startWriting(market: Market, writer: Writer, receiverId: number): Writing {
  const shown: string[] = []
  let refusedCount = 0
  let isOver = false
  const sit = (): Promise<Seat> => market.sitDown(writer).catch(() => sit())
  async function write(): Promise<void> {
    let seat = await sit()
    while (!isOver) {
      const content = `${writer.username} writes number ${shown.length}`
      const clientMessageId = randomUUID()
      for (let isSent = false; !isSent; ) {
        if (!seat.isOpen()) seat = await sit()
        const heardBefore = seat.frames.length
        seat.send({ type: 'send_message', receiverId, content, clientMessageId })
        const said = () => seat.frames.slice(heardBefore).find((frame) => frame.clientMessageId === clientMessageId)
        await eventually(() => said() !== undefined || !seat.isOpen(), { timeoutMs: ANSWER_WITHIN_MS }).catch(() => {})
        isSent = said()?.type === 'message_sent'
        if (isSent) continue
        refusedCount += 1
        await wait(AGAIN_AFTER_MS)
      }
      shown.push(content)
    }
    seat.leave()
  }
  const writing = write()
  return {
    shown,
    refusedCount: () => refusedCount,
    async stop() {
      isOver = true
      await writing
    },
  }
}
