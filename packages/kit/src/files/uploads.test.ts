import { describe, expect, it } from 'vitest'
import { Rejection } from '../errors.ts'
import { createUploadGate } from './uploads.ts'

const never = () => new Promise<never>(() => {})
const done = async () => 'done'
/** Somebody at an address of their own. */
const by = (userId: number) => ({ userId, ip: `192.0.2.${userId}` })

describe('the gate of uploads', () => {
  it('has five places for one person, and a new one when one is free', async () => {
    const gate = createUploadGate({ rateLimitFactor: 1 })
    const { promise, resolve } = Promise.withResolvers<string>()
    const first = gate.run(by(7), () => promise)
    for (let count = 2; count <= 5; count += 1) void gate.run(by(7), never)
    await expect(gate.run(by(7), done)).rejects.toEqual(new Rejection('rate-limited'))
    expect(await gate.run(by(8), done)).toBe('done')
    resolve('first')
    expect(await first).toBe('first')
    expect(await gate.run(by(7), done)).toBe('done')
  })

  it('has a place again for whoever failed', async () => {
    const gate = createUploadGate({ rateLimitFactor: 0.2 })
    await expect(gate.run(by(7), () => Promise.reject(new Error('broken off')))).rejects.toThrow('broken off')
    expect(await gate.run(by(7), done)).toBe('done')
  })

  it('has two dozen places for all together', async () => {
    const gate = createUploadGate({ rateLimitFactor: 1 })
    for (let userId = 1; userId <= 24; userId += 1) void gate.run(by(userId), never)
    await expect(gate.run(by(25), done)).rejects.toEqual(new Rejection('unavailable'))
  })

  it('has half of them for people who have none', async () => {
    const gate = createUploadGate({ rateLimitFactor: 1 })
    for (const userId of [1, 2, 3]) for (let count = 0; count < 4; count += 1) void gate.run(by(userId), never)
    await expect(gate.run(by(1), done)).rejects.toEqual(new Rejection('unavailable'))
    for (let userId = 4; userId <= 15; userId += 1) void gate.run(by(userId), never)
    await expect(gate.run(by(16), done)).rejects.toEqual(new Rejection('unavailable'))
  })

  it('has some of them for other addresses, however many accounts send from one', async () => {
    const gate = createUploadGate({ rateLimitFactor: 1 })
    const ofOne = (count: number) => ({ userId: 100 + count, ip: `2001:db8::${count}` })
    for (let count = 1; count <= 12; count += 1) void gate.run(ofOne(count), never)
    await expect(gate.run(ofOne(13), done)).rejects.toEqual(new Rejection('unavailable'))
    expect(await gate.run(by(1), done)).toBe('done')
    const beside = { userId: 2, ip: by(1).ip }
    for (const sender of [by(1), beside, { ...beside, userId: 3 }]) void gate.run(sender, never)
    await expect(gate.run({ ...beside, userId: 4 }, done)).rejects.toEqual(new Rejection('unavailable'))
    expect(await gate.run(by(5), done)).toBe('done')
  })
})
