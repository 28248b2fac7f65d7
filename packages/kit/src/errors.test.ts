import { StatementTimeoutError } from 'slonik'
import { describe, expect, it } from 'vitest'
import { Failure, isUnavailability, Rejection } from './errors.ts'
import { InvariantViolation, invariant } from './invariant.ts'

describe('a rejection', () => {
  it('says what the catalogue says when it has no words of its own', () => {
    expect(new Rejection('auction-ended')).toMatchObject({
      name: 'Rejection',
      code: 'auction-ended',
      message: 'This auction has ended',
      details: undefined,
    })
  })
})

describe('an error', () => {
  const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' })
  const loop = new Error('loop')
  loop.cause = loop
  it.each([
    ['a failure', new Failure('x'), true],
    ['a refused connection', refused, true],
    ['one inside', new Error('x', { cause: new Error('y', { cause: refused }) }), true],
    ['one among several', new AggregateError([new Error('x'), refused], 'x'), true],
    ['a missing database socket', Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'connect' }), true],
    ['a connection exception of Postgres', Object.assign(new Error('x'), { code: '08006' }), true],
    ['a full disk of Postgres', Object.assign(new Error('x'), { code: '53100' }), true],
    ['a Postgres without memory', Object.assign(new Error('x'), { code: '53200' }), true],
    ['a Postgres that only reads', Object.assign(new Error('x'), { code: '25006' }), true],
    ['a full disk of ours', Object.assign(new Error('x'), { code: 'ENOSPC', syscall: 'write' }), true],
    ['a statement that took too long', new StatementTimeoutError(Object.assign(new Error('x'))), true],
    ['a unique violation', Object.assign(new Error('x'), { code: '23505' }), false],
    ['a missing file', Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' }), false],
    ['a bug', new TypeError('x'), false],
    ['a circle', loop, false],
    ['no error', 'ECONNREFUSED', false],
  ])('that is %s is or is not the world’s', (_, error, expected) => {
    expect(isUnavailability(error)).toBe(expected)
  })
})

describe('an invariant', () => {
  it('lets pass what holds and throws for what does not', () => {
    invariant(1, 'never thrown')
    expect(() => invariant(0, 'the balance is negative')).toThrow(InvariantViolation)
  })
})
