import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { depart } from '../lib/unsaved-changes.ts'
import { ReasonDialog } from './ReasonDialog.tsx'

afterEach(cleanup)

const words = {
  title: 'Cancel the auction?',
  label: 'Reason',
  close: 'Close',
  keep: 'Keep It',
  confirm: 'Cancel It',
  busy: 'Cancelling...',
  unsent: { title: 'Leave without sending?', text: 'It is not sent.', stay: 'Stay', leave: 'Leave', close: 'Close' },
}

it('asks before a reason that was written is left behind', async () => {
  render(<ReasonDialog words={words} suggestion="Fake" onConfirm={async () => null} onClose={() => {}} />)
  const leave = vi.fn()
  depart(leave)
  expect(leave).toHaveBeenCalledOnce()
  fireEvent.change(screen.getByLabelText('Reason'), { target: { value: 'A fake bottle' } })
  depart(leave)
  expect(leave).toHaveBeenCalledOnce()
  fireEvent.click(await screen.findByRole('button', { name: 'Stay' }))
  expect(screen.getByLabelText('Reason')).toHaveValue('A fake bottle')
})

it('offers no way out of what is being done already', async () => {
  const done = Promise.withResolvers<string | null>()
  const onClose = vi.fn()
  render(<ReasonDialog words={words} onConfirm={() => done.promise} onClose={onClose} />)
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
  press('Cancel It')
  press('Keep It')
  expect(onClose).not.toHaveBeenCalled()
  done.resolve('It has a bid by now.')
  expect(await screen.findByText('It has a bid by now.')).toBeInTheDocument()
  press('Keep It')
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
})
