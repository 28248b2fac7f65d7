import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { readable } from '../log.ts'
import type { GuardedProcess } from './guarded-process.ts'

const pollMs = 50
const pollTimeoutMs = 2000

/**
 * Resolves when a process that was just started answers 200 there.
 * @throws when it ends before, with what it said last
 */
export async function untilAnswering(
  url: string,
  { exited, recentOutput }: Pick<GuardedProcess, 'exited' | 'recentOutput'>,
): Promise<void> {
  let ended = false
  void exited.then(() => {
    ended = true
  })
  for (;;) {
    // A start asks hundreds of times before anybody listens: to be refused takes fetch eight times as long as a bare connection.
    const isThere = (await isListening(url)) && (await answersOk(url))
    if (ended) throw new Error(`it ended before it was ready:\n${recentOutput().split('\n').map(readable).join('\n')}`)
    if (isThere) return
    await wait(pollMs)
  }
}

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: pollTimeoutMs })
    const tell = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => tell(true))
    for (const event of ['error', 'timeout']) socket.once(event, () => tell(false))
  })
}

async function answersOk(url: string): Promise<boolean> {
  const answer = await fetch(url, {
    // A connection that is kept would be waited for when it stops.
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(pollTimeoutMs),
  }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.ok ?? false
}
