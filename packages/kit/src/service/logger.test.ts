import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLogger } from './logger.ts'

describe('a line of the log', () => {
  it('says who and when, and keeps secrets out', () => {
    const lines: string[] = []
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const log = createLogger({ name: 'auction', level: 'info', instanceId: 'auction-1', stream })
    log.debug('too quiet')
    const error = Object.assign(new Error('duplicate key'), { values: ['secret-1'] })
    const headers = { authorization: 'Bearer secret-2', accept: '*/*' }
    log.error({ err: error, req: { headers }, password: 'secret-3', body: { token: 'secret-4' } }, 'could not sign in')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      name: 'auction',
      instance: 'auction-1',
      msg: 'could not sign in',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      err: { message: 'duplicate key', values: '[redacted]' },
      req: { headers: { authorization: '[redacted]', accept: '*/*' } },
    })
    expect(lines[0]).not.toContain('secret')
  })
})
