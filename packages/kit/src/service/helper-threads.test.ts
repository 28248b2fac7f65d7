import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { yieldHelperThreads } from './helper-threads.ts'

const THREADS = '/proc/self/task'

it('lets the threads of V8 yield, and no other', () => {
  const own = getPriority()
  const threads = existsSync(THREADS) ? readdirSync(THREADS) : []
  const isHelper = (thread: string) => readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim() === 'V8Worker'
  const [helpers, others] = [threads.filter(isHelper), threads.filter((thread) => !isHelper(thread))]
  expect(helpers.length > 0).toBe(process.platform === 'linux')
  yieldHelperThreads()
  expect(helpers.map((thread) => getPriority(Number(thread)))).toEqual(helpers.map(() => 15))
  expect(others.map((thread) => getPriority(Number(thread)))).toEqual(others.map(() => own))
})
