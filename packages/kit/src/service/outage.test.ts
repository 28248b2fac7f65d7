import { expect, it } from 'vitest'
import { Failure } from '../errors.ts'
import { silentLogger } from './logger.ts'
import { Outage } from './outage.ts'

const away = new Failure('nobody answers')

function logged() {
  const lines: string[] = []
  const log = silentLogger.child({})
  log.warn = (_facts: unknown, message?: string) => {
    lines.push(String(message))
  }
  return { lines, outage: new Outage(log, 'cannot ask') }
}

it('says nothing while another process starts, and says it once when that takes long', () => {
  const { lines, outage } = logged()
  for (const nowMs of [0, 1000, 2999]) outage.note(away, nowMs)
  expect(lines).toEqual([])
  for (const nowMs of [3000, 4000, 9000]) outage.note(away, nowMs)
  expect(lines).toEqual(['cannot ask'])
})

it('says at once what is a failure of our own', () => {
  const { lines, outage } = logged()
  outage.note(away, 0)
  outage.note(new TypeError('no function'), 10)
  expect(lines).toEqual(['cannot ask'])
})

it('begins anew after a success', () => {
  const { lines, outage } = logged()
  outage.note(away, 0)
  outage.note(away, 3000)
  expect(outage.failures).toBe(2)
  outage.end()
  expect(outage.failures).toBe(0)
  outage.note(away, 4000)
  expect(lines).toEqual(['cannot ask'])
  outage.note(away, 7000)
  expect(lines).toEqual(['cannot ask', 'cannot ask'])
})
