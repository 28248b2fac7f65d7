import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { ReasonDialog } from './ReasonDialog.tsx'

afterEach(cleanup)

it('offers no way out of what is being done already', async () => {
  const words = {
    title: 'Cancel the auction?',
    label: 'Reason',
    close: 'Close',
    keep: 'Keep It',
    confirm: 'Cancel It',
    busy: 'Cancelling...',
  }
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
