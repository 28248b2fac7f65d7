import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { expect, it } from 'vitest'
import { yieldHelperThreads } from './helper-threads.ts'

const THREADS = '/proc/self/task'

it('lets the threads of V8 yield, no other, and none less than before', () => {
  const own = getPriority()
  const threads = existsSync(THREADS) ? readdirSync(THREADS) : []
  const isHelper = (thread: string) => readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim() === 'V8Worker'
  const [helpers, others] = [threads.filter(isHelper), threads.filter((thread) => !isHelper(thread))]
  expect(helpers.length > 0).toBe(process.platform === 'linux')
  for (const thread of helpers.slice(1)) setPriority(Number(thread), 19)
  yieldHelperThreads()
  expect(helpers.map((thread) => getPriority(Number(thread)))).toEqual(
    helpers.map((_, index) => (index === 0 ? Math.max(own, 15) : 19)),
  )
  expect(others.map((thread) => getPriority(Number(thread)))).toEqual(others.map(() => own))
})
