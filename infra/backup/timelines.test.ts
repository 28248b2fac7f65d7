import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { partsOfBackup } from './archive.ts'
import { chooseTimeline } from './timelines.ts'

let backupDir: string
beforeEach(() => {
  backupDir = mkdtempSync(join(tmpdir(), 'wangian-timelines-'))
  mkdirSync(partsOfBackup(backupDir).wal)
})
afterEach(() => rmSync(backupDir, { recursive: true, force: true }))

const at = (time: string) => new Date(`2026-11-23T${time}Z`)

/** Pieces of a timeline, each archived at a time. */
function archive(timeline: number, ...times: string[]): void {
  const id = String(timeline).padStart(8, '0')
  for (const [index, time] of times.entries()) write(`${id}00000000${String(index + 1).padStart(8, '0')}`, time)
}

/** A timeline begins where it leaves the one before. */
function begin(timeline: number, time: string): void {
  const from = Array.from({ length: timeline - 1 }, (_, index) => `${index + 1}\t0/300006${index}\tno recovery target`)
  write(`${String(timeline).padStart(8, '0')}.history`, time, from.join('\n'))
}

function write(name: string, time: string, content = ''): void {
  const file = join(partsOfBackup(backupDir).wal, name)
  writeFileSync(file, content)
  utimesSync(file, at(time), at(time))
}

const chosen = (time?: string) => chooseTimeline(backupDir, time === undefined ? null : at(time)).id

describe('the timeline of a restore', () => {
  it('is the one that people saw at that time, and without a time the one that they saw last', () => {
    archive(1, '10:00:00', '10:01:00', '10:02:00')
    begin(2, '10:30:00')
    expect(chosen()).toBe(2)
    archive(2, '10:31:00', '10:32:00')
    expect([chosen('10:01:30'), chosen('10:02:30'), chosen('10:30:30'), chosen('10:40:00')]).toEqual([1, 1, 2, 2])
    begin(3, '11:00:00')
    archive(3, '11:01:00')
    expect([chosen(), chosen('11:00:30'), chosen('10:31:30'), chosen('10:01:30')]).toEqual([3, 3, 2, 1])
  })

  it('is none of a rehearsal beside what goes on', () => {
    archive(1, '10:00:00', '10:01:00', '10:02:00', '10:03:00')
    begin(2, '10:01:10')
    archive(2, '10:01:11')
    expect([chosen('10:02:30'), chosen('10:10:00'), chosen()]).toEqual([1, 1, 1])
  })

  it('is the first one where nothing else is known', () => {
    expect([chosen(), chosen('10:00:00')]).toEqual([1, 1])
  })
})
