import { expect, it } from 'vitest'
import { silentLogger } from './logger.ts'
import { Seldom } from './seldom.ts'

it('says the same once a second, and how often it was kept back', () => {
  const lines: unknown[] = []
  const log = silentLogger.child({})
  log.error = (facts: unknown, message?: string) => void lines.push([message, facts])
  const seldom = new Seldom(log)
  const err = new Error('refused')
  for (const nowMs of [0, 10, 999]) seldom.error('a command is refused', err, nowMs)
  seldom.error('another thing', err, 500)
  for (const nowMs of [1000, 1500, 2500, 9000]) seldom.error('a command is refused', err, nowMs)
  expect(lines).toEqual([
    ['a command is refused', { err }],
    ['another thing', { err }],
    ['a command is refused', { err, keptBack: 2 }],
    ['a command is refused', { err, keptBack: 1 }],
    ['a command is refused', { err }],
  ])
})
