import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { reportRoutes } from '@wangian/contracts/reports.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { depart } from '../lib/unsaved-changes.ts'
import { report } from '../testing/fixtures.ts'
import { mockApi, refusal } from '../testing/mock-api.ts'
import { renderAt } from '../testing/render.tsx'
import { ReportButton } from './ReportButton.tsx'

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
})
afterEach(() => {
  view.end()
  api.restore()
})

const sarah = { id: 3, username: 'sarah' }
const button = (
  <ReportButton kind="review" targetId={9} owner={sarah} label="Report" fullLabel="Report the review by sarah" />
)

function open(user: { id: number; username: string } | null) {
  view = user === null ? renderAt('/sellers/3', button) : renderAt('/sellers/3', button, user)
}

async function openDialog() {
  open({ id: 10, username: 'bala' })
  fireEvent.click(screen.getByRole('button', { name: 'Report the review by sarah' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Report' }))
  return {
    dialog,
    choose: (reason: string) => fireEvent.click(dialog.getByLabelText(reason)),
    write: (words: string) => fireEvent.change(dialog.getByLabelText('Tell us more'), { target: { value: words } }),
    send: () => fireEvent.click(dialog.getByRole('button', { name: 'Send report' })),
  }
}

it('sends what is wrong, and why', async () => {
  const reports: unknown[] = []
  api.answer(reportRoutes.fileReport, ({ body }) => {
    reports.push(body)
    return report(body)
  })
  const { choose, write, send } = await openDialog()
  choose('Spam')
  write(' Not about this bottle. ')
  send()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(reports).toEqual([{ kind: 'review', targetId: 9, reason: 'spam', text: 'Not about this bottle.' }])
  expect(view.toasts.at(-1)).toMatchObject({ title: 'Report sent' })
})

it('needs a reason, and words where no reason fits', async () => {
  const { dialog, choose, write, send } = await openDialog()
  send()
  expect(await dialog.findByText('Please choose what is wrong.')).toBeInTheDocument()
  choose('Something else')
  expect(await dialog.findByText('Please describe what is wrong.')).toBeInTheDocument()
  write('It names my address.')
  expect(dialog.queryByRole('alert')).toBeNull()
})

it('cannot be cancelled while it is being sent', async () => {
  const answer = Promise.withResolvers<ReturnType<typeof report>>()
  api.answer(reportRoutes.fileReport, () => answer.promise)
  const { dialog, choose, send } = await openDialog()
  choose('Spam')
  send()
  await waitFor(() => expect(api.countOf(reportRoutes.fileReport)).toBe(1))
  fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(screen.getByRole('dialog', { name: 'Report' })).toBeInTheDocument()
  answer.resolve(report({ kind: 'review', targetId: 9, reason: 'spam', text: null }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

it('keeps what was written when it is refused', async () => {
  api.answer(reportRoutes.fileReport, () => refusal('report-exists'))
  const { dialog, choose, write, send } = await openDialog()
  choose('Spam')
  write('Again.')
  send()
  expect(await dialog.findByText('You have reported this already.')).toBeInTheDocument()
  expect(dialog.getByLabelText('Tell us more')).toHaveValue('Again.')
})

it('asks before what was written is left behind', async () => {
  const { dialog, write } = await openDialog()
  const leave = vi.fn()
  depart(leave)
  expect(leave).toHaveBeenCalledOnce()
  write('It names my address.')
  depart(leave)
  expect(leave).toHaveBeenCalledOnce()
  fireEvent.click(await screen.findByRole('button', { name: 'Stay here' }))
  expect(dialog.getByLabelText('Tell us more')).toHaveValue('It names my address.')
  depart(leave)
  fireEvent.click(await screen.findByRole('button', { name: 'Leave without sending' }))
  expect(leave).toHaveBeenCalledTimes(2)
})

it('is not for what is one’s own', () => {
  open({ id: 3, username: 'sarah' })
  expect(screen.queryByRole('button', { name: /Report/ })).toBeNull()
})

it('asks guests to log in first', async () => {
  open(null)
  fireEvent.click(screen.getByRole('button', { name: /Report/ }))
  await waitFor(() => expect(view.toasts.at(-1)).toMatchObject({ description: 'Please log in to report something.' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})
