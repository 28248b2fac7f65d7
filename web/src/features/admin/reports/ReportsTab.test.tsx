import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { reportRoutes } from '@wangian/contracts/reports.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mockApi, refusal } from '../../../testing/mock-api.ts'
import { renderAt } from '../../../testing/render.tsx'
import { adminReport, lim } from '../testing/admin-server.ts'
import { ReportsTab } from './ReportsTab.tsx'

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>

beforeEach(() => {
  api = mockApi()
  api.answer(reportRoutes.listReports, () => [1, 2, 3].map((id) => adminReport(id)), { 'x-total-count': '3' })
  api.answer(reportRoutes.decideReport, () => adminReport(1, { status: 'upheld' }))
})
afterEach(() => {
  view.end()
  api.restore()
})

async function open(address = '/admin/dashboard?tab=reports') {
  view = renderAt(address, <ReportsTab />, lim)
  await screen.findAllByRole('article')
}

const report = (id: number) => screen.getByRole('article', { name: `Report #${id}: Fake or forbidden product` })
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })
const enter = () => fireEvent.submit(screen.getByLabelText('Reason').closest('form') as HTMLFormElement)

it('is walked through by keyboard', async () => {
  await open()
  expect(api.received.at(-1)?.url.search).toBe('?status=open&limit=25')
  expect(screen.getAllByRole('article').map((each) => each.tabIndex)).toEqual([0, -1, -1])
  report(1).focus()
  press('j')
  expect(report(2)).toHaveFocus()
  press('k')
  expect(report(1)).toHaveFocus()
})

it('is decided with the reason that suggests itself, and goes on by itself', async () => {
  await open()
  report(1).focus()
  press('u')
  await waitFor(() => expect(screen.getByLabelText('Reason')).toHaveFocus())
  expect(screen.getByLabelText('Reason')).toHaveValue('Against our rules: Fake or forbidden product')
  enter()
  await waitFor(() => expect(report(2)).toHaveFocus())
  expect(api.received.at(-1)?.body).toEqual({
    decision: 'upheld',
    reason: 'Against our rules: Fake or forbidden product',
  })
  expect(screen.getByText('2 reports')).toBeInTheDocument()
})

it('suggests no reason that names none', async () => {
  api.answer(reportRoutes.listReports, () => [adminReport(1, { reason: 'other' })], { 'x-total-count': '1' })
  await open()
  screen.getByRole('article').focus()
  press('u')
  expect(await screen.findByLabelText('Reason')).toHaveValue('Against our rules')
})

it('shows all reports by somebody, whatever became of them', async () => {
  await open('/admin/dashboard?tab=reports&reporter=10')
  expect(api.received.at(-1)?.url.search).toBe('?reporterId=10&limit=25')
  expect(screen.getByText('By user 10')).toBeInTheDocument()
  fireEvent.click(screen.getByRole('button', { name: 'Show all' }))
  await waitFor(() => expect(api.received.at(-1)?.url.search).toBe('?status=open&limit=25'))
})

it('is decided only for a reason', async () => {
  await open()
  report(2).focus()
  press('d')
  fireEvent.change(await screen.findByLabelText('Reason'), { target: { value: ' ' } })
  enter()
  await screen.findByText('Reason is required')
  fireEvent.change(screen.getByLabelText('Reason'), { target: { value: 'All is well' } })
  enter()
  await waitFor(() => expect(report(3)).toHaveFocus())
  expect(api.received.at(-1)?.body).toEqual({ decision: 'dismissed', reason: 'All is well' })
})

it('leaves letters alone that are typed on a button', async () => {
  await open()
  within(report(1)).getByRole('button', { name: 'Uphold report #1' }).focus()
  press('j')
  press('d')
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  expect(within(report(1)).getByRole('button', { name: 'Uphold report #1' })).toHaveFocus()
})

it('opens what is reported, and goes on there afterwards', async () => {
  await open()
  report(2).focus()
  press('Enter')
  await waitFor(() => expect(view.whereabouts()).toBe('/admin/listings/7'))
  view.end()
  await open()
  await waitFor(() => expect(report(2)).toHaveFocus())
})

it('lets go of what somebody else has decided otherwise', async () => {
  api.answer(reportRoutes.decideReport, () => refusal('conflict'))
  await open()
  report(1).focus()
  press('d')
  await screen.findByRole('dialog')
  enter()
  await waitFor(() => expect(report(2)).toHaveFocus())
  expect(view.toasts.at(-1)?.description).toContain('Somebody else was faster.')
})

it('says when all is decided', async () => {
  api.answer(reportRoutes.listReports, () => [adminReport(1)], { 'x-total-count': '1' })
  await open()
  report(1).focus()
  press('d')
  await screen.findByRole('dialog')
  enter()
  await screen.findByRole('heading', { name: 'No open reports' })
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Reports' })).toHaveFocus())
})

it('goes on with the first page when all of a later one is decided', async () => {
  const isLater = (url: URL) => url.searchParams.get('cursor') === 'two'
  api.answer(reportRoutes.listReports, ({ url }) => (isLater(url) ? [adminReport(4)] : [adminReport(5)]), {
    'x-total-count': '2',
  })
  await open('/admin/dashboard?tab=reports&page=2&cursor=two')
  report(4).focus()
  press('d')
  await screen.findByRole('dialog')
  enter()
  await screen.findByRole('article', { name: /Report #5/ })
  expect(screen.queryByRole('heading', { name: 'No open reports' })).not.toBeInTheDocument()
  expect(view.whereabouts()).toBe('/admin/dashboard?tab=reports')
})

it('shows how others were decided', async () => {
  api.answer(reportRoutes.listReports, () => [
    adminReport(1, {
      status: 'upheld',
      decidedAt: '2026-11-21T09:00:00.000Z',
      decidedBy: { id: 1, username: 'lim' },
      decisionReason: 'A fake',
    }),
  ])
  await open('/admin/dashboard?tab=reports&status=upheld&kind=listing')
  expect(api.received.at(-1)?.url.search).toBe('?status=upheld&kind=listing&limit=25')
  expect(screen.getByText('Upheld by lim, 21 Nov 2026, 5:00 pm')).toBeInTheDocument()
  expect(screen.getByText('A fake')).toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Dismiss report #1' })).not.toBeInTheDocument()
})

it('shows all that was reported of somebody, and the queue again', async () => {
  await open('/admin/dashboard?tab=reports&user=3')
  expect(api.received.at(-1)?.url.search).toBe('?reportedId=3&limit=25')
  fireEvent.click(screen.getByRole('button', { name: 'Show all' }))
  await waitFor(() => expect(api.received.at(-1)?.url.search).toBe('?status=open&limit=25'))
})
