import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { sendMail } from '@wangian/kit/testing/send-mail.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SupervisedProcess } from '../processes/supervisor.ts'
import { prepareMailCatcher } from './mail-server.ts'

let dataDir: string
const processes: SupervisedProcess[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-mail-server-'))
})
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.stop()))
  rmSync(dataDir, { recursive: true, force: true })
})

async function start() {
  const catcher = await prepareMailCatcher({ dataDir, logLevel: 'warn', log: () => {} })
  processes.push(catcher.process)
  await catcher.process.start()
  return catcher
}

async function subjects(url: string): Promise<string[]> {
  const mails = (await (await fetch(`${url}/dev/inbox/messages`)).json()) as { subject: string }[]
  return mails.map(({ subject }) => subject)
}

it('is back at the same addresses after a crash, and after a new start, with the mails it had', async () => {
  const catcher = await start()
  await sendMail(catcher.smtpUrl, { to: 'bala@wangian.test', subject: 'First', text: 'x' })
  await catcher.process.kill()
  await eventually(async () => (await fetch(`${catcher.url}/readyz`)).ok)
  await sendMail(catcher.smtpUrl, { to: 'bala@wangian.test', subject: 'Second', text: 'x' })
  expect(await subjects(catcher.url)).toEqual(['Second', 'First'])
  await catcher.process.stop()
  expect(await subjects((await start()).url)).toEqual(['Second', 'First'])
})

it('does not get in the way of another copy', async () => {
  const one = await start()
  const other = await prepareMailCatcher({ dataDir: join(dataDir, 'other'), logLevel: 'warn', log: () => {} })
  processes.push(other.process)
  await other.process.start()
  await sendMail(one.smtpUrl, { to: 'bala@wangian.test', subject: 'Here', text: 'x' })
  expect([await subjects(one.url), await subjects(other.url)]).toEqual([['Here'], []])
})
