import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { depart } from '../../lib/unsaved-changes.ts'
import { renderAt } from '../../testing/render.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'

const onClose = vi.fn()
const leave = vi.fn()
let view: ReturnType<typeof renderAt>
beforeEach(() => {
  onClose.mockClear()
  leave.mockClear()
  const codes = ['ct6mycd6xxe2a4wq']
  view = renderAt('/account/settings', <RecoveryCodes codes={codes} username="bala" onClose={onClose} />)
})
afterEach(() => view.end())

it('asks before codes that nobody has kept are left behind', async () => {
  depart(leave)
  fireEvent.click(await screen.findByRole('button', { name: 'Stay here' }))
  expect(leave).not.toHaveBeenCalled()
  expect(screen.getByText('ct6m-ycd6-xxe2-a4wq')).toBeInTheDocument()
  depart(leave)
  fireEvent.click(await screen.findByRole('button', { name: 'Leave without the codes' }))
  expect(leave).toHaveBeenCalledOnce()
})

it('lets go of codes that were copied', async () => {
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText: async () => {} } })
  fireEvent.click(screen.getByRole('button', { name: 'Copy' }))
  await waitFor(() => expect(view.toasts).toHaveLength(1))
  vi.unstubAllGlobals()
  depart(leave)
  expect(leave).toHaveBeenCalledOnce()
})
