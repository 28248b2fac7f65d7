import { afterEach, describe, expect, it, vi } from 'vitest'
import { printTo, worthShowing } from './log.ts'

afterEach(() => void vi.useRealTimers())

describe('the lines on the screen', () => {
  it('name their source, except our own progress', () => {
    const written: string[] = []
    const log = printTo((text) => written.push(text), false)
    log('start', 'Starting identity …')
    log('auction-1', 'plain words')
    log(
      'auction-1',
      '{"level":"error","time":"2026-11-21T07:52:35.123Z","name":"auction-1","msg":"no lease","partition":7}',
    )
    expect(written).toEqual([
      'Starting identity …\n',
      '[auction-1] plain words\n',
      '[auction-1] error no lease {"partition":7}\n',
    ])
  })

  it('say that archiving fails, and why, every ten minutes', () => {
    vi.useFakeTimers()
    const written: string[] = []
    const log = printTo((text) => written.push(text), false)
    const lines = [
      "cp: error writing '/backup/wal/000000010000000000000001.part': No space left on device",
      'LOG:  archive command failed with exit code 1',
    ]
    const shown = lines.map((line) => `[postgres] ${line}\n`)
    for (const _second of [1, 2, 3]) for (const line of lines) log('postgres', line)
    expect(written).toEqual(shown)
    vi.advanceTimersByTime(600_000)
    for (const line of lines) log('postgres', line)
    expect(written).toEqual([...shown, ...shown])
  })

  it('leave out what only matters when something is wrong', () => {
    expect(worthShowing('postgres', 'LOG:  checkpoint starting')).toBeUndefined()
    expect(worthShowing('postgres', 'FATAL:  the database system is starting up')).toBeUndefined()
    expect(worthShowing('postgres', 'FATAL:  could not write lock file')).toBe('FATAL:  could not write lock file')
    expect(worthShowing('nats', '[7] [INF] Server is ready')).toBeUndefined()
    expect(worthShowing('nats', '[7] [ERR] no space left')).toBe('[7] [ERR] no space left')
  })
})
