import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Rejection } from './errors.ts'
import { FairGate } from './fair-gate.ts'

const limits = {
  runningMax: 2,
  runningPerKeyMax: 1,
  waitingPerKeyMax: 3,
  waitingMax: 5,
  burstMs: 100,
  msPerS: 500,
}

let started: string[]
let ends: Map<string, () => void>
let gate: FairGate

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  started = []
  ends = new Map()
  gate = new FairGate(limits)
})
afterEach(() => vi.useRealTimers())

/** A work of whoever its first letter says. */
const run = (name: string) =>
  gate.run(name[0] ?? null, () => {
    started.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  })

async function end(name: string, afterMs = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(afterMs)
  ends.get(name)?.()
  await vi.advanceTimersByTimeAsync(0)
}

describe('a fair gate', () => {
  it('lets one of each in, so many in all, and then one after the other, however many works somebody has', async () => {
    const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map(run)
    await vi.advanceTimersByTimeAsync(0)
    expect(started).toEqual(['a1', 'b1'])
    for (const name of ['a1', 'b1', 'a2', 'c1', 'a3']) await end(name)
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1'])
    expect(started).toEqual(['a1', 'b1', 'a2', 'c1', 'a3'])
  })

  it('has whoever has used up their time wait until they have some again, and nobody else', async () => {
    const all = [run('a1'), run('a2')]
    // Half as long again as they may: what is owed comes back at half the speed.
    await end('a1', 150)
    all.push(run('b1'))
    await vi.advanceTimersByTimeAsync(90)
    expect(started).toEqual(['a1', 'b1'])
    await vi.advanceTimersByTimeAsync(20)
    expect(started).toEqual(['a1', 'b1', 'a2'])
    await end('b1')
    await end('a2')
    await Promise.all(all)
  })

  it('has whoever owes little wait no longer because somebody else owes much', async () => {
    const all = [run('a1'), run('a2')]
    // It is 1.8 s until they have some time again.
    await end('a1', 1000)
    all.push(run('b1'), run('b2'))
    await end('b1', 110)
    await vi.advanceTimersByTimeAsync(40)
    expect(started).toEqual(['a1', 'b1', 'b2'])
    await vi.advanceTimersByTimeAsync(1640)
    expect(started).toEqual(['a1', 'b1', 'b2'])
    await vi.advanceTimersByTimeAsync(20)
    expect(started).toEqual(['a1', 'b1', 'b2', 'a2'])
    await end('b2')
    await end('a2')
    await Promise.all(all)
  })

  it('turns away who would wait behind too many of their own, or of all', async () => {
    const kept = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(run)
    await expect(run('a5')).rejects.toEqual(new Rejection('unavailable'))
    await expect(run('d1')).rejects.toEqual(new Rejection('unavailable'))
    await vi.advanceTimersByTimeAsync(0)
    for (let ended = 0; ended < kept.length; ended++) await end(started[ended] ?? '')
    expect(await Promise.all(kept)).toHaveLength(7)
  })

  it('counts for nobody what is nobody’s, and goes on after a failure', async () => {
    const own = [1, 2].map(() => gate.run(null, async () => vi.advanceTimersByTimeAsync(1000)))
    await Promise.all(own)
    await expect(gate.run('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await gate.run('a', async () => 'there')).toBe('there')
    expect(await gate.run(null, async () => 'there')).toBe('there')
  })
})
