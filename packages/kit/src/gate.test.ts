import { describe, expect, it } from 'vitest'
import { Rejection } from './errors.ts'
import { createGate } from './gate.ts'

/** Works that end when they are told to. */
function works() {
  const running: (() => void)[] = []
  const started: string[] = []
  return {
    started,
    start: (name: string) => () => {
      started.push(name)
      return new Promise<string>((resolve) => running.push(() => resolve(name)))
    },
    endNext: () => running.shift()?.(),
  }
}

describe('a gate for two', () => {
  it('lets two in, and the next when one leaves, in order', async () => {
    const gate = createGate({ runningMax: 2, waitingMax: 2 })
    const { started, start, endNext } = works()
    const all = ['a', 'b', 'c', 'd'].map((name) => gate.run(start(name)))
    expect(started).toEqual(['a', 'b'])
    endNext()
    expect(await all[0]).toBe('a')
    expect(started).toEqual(['a', 'b', 'c'])
    endNext()
    await all[1]
    expect(started).toEqual(['a', 'b', 'c', 'd'])
    endNext()
    endNext()
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('turns away whoever would have to wait too long', async () => {
    const gate = createGate({ runningMax: 1, waitingMax: 1 })
    const { start, endNext } = works()
    const first = gate.run(start('a'))
    const second = gate.run(start('b'))
    await expect(gate.run(start('c'))).rejects.toEqual(new Rejection('unavailable'))
    endNext()
    await first
    endNext()
    expect(await second).toBe('b')
  })

  it('has room again after a failure', async () => {
    const gate = createGate({ runningMax: 1, waitingMax: 0 })
    const failing = gate.run(async () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await gate.run(async () => 'yes')).toBe('yes')
  })
})
