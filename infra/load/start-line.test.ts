import { afterEach, describe, expect, it } from 'vitest'
import { openStartLine, type StartLine } from './start-line.ts'

let line: StartLine
afterEach(() => line.close())

const ask = async (query: string): Promise<{ startAtMs: number }> =>
  (await (await fetch(`${line.url}/?${query}`)).json()) as { startAtMs: number }

describe('a start line', () => {
  it('keeps whoever comes first until all are there', async () => {
    line = await openStartLine(2)
    const order: string[] = []
    const first = ask('leadMs=0').then(() => order.push('first'))
    const second = await fetch(`${line.url}/?leadMs=0`).then((answer) => answer.json())
    order.push('second')
    await first
    expect(order).toHaveLength(2)
    expect(await line.started).toMatchObject(second as object)
  })

  it('tells who watches when that is, and how far the clocks are apart', async () => {
    line = await openStartLine(2)
    const beforeMs = Date.now()
    const [one, other] = await Promise.all([ask('offsetMs=3&leadMs=2000'), ask('offsetMs=3&leadMs=6000')])
    expect(one).toEqual(other)
    expect(one.startAtMs).toBeGreaterThanOrEqual(beforeMs + 6000)
    expect(await line.started).toEqual({ startAtMs: one.startAtMs, offsetMs: 3 })
  })
})
