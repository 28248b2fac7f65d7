import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { Dialog } from './Dialog.tsx'

afterEach(cleanup)

const onClose = vi.fn()
function open(isShownOnce = false) {
  onClose.mockClear()
  render(
    <Dialog title="Edit Profile" closeLabel="Close" isShownOnce={isShownOnce} onClose={onClose}>
      <textarea aria-label="About" />
    </Dialog>,
  )
}
const press = (target: Element) => {
  fireEvent.pointerDown(target)
  fireEvent.mouseDown(target)
  fireEvent.pointerUp(target)
  fireEvent.mouseUp(target)
  fireEvent.click(target)
}
const pressBeside = () => press(document.body)

it('is closed by a click beside it', () => {
  open()
  pressBeside()
  expect(onClose).toHaveBeenCalledOnce()
})

it('in which something was filled in is closed by its cross and by Escape, and not by a click beside it', () => {
  open()
  fireEvent.input(screen.getByLabelText('About'), { target: { value: 'Ten years of collecting' } })
  pressBeside()
  expect(onClose).not.toHaveBeenCalled()
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
  expect(onClose).toHaveBeenCalledTimes(1)
  press(screen.getByRole('button', { name: 'Close' }))
  expect(onClose).toHaveBeenCalledTimes(2)
})

it('that shows what is shown once is not closed by a click beside it', () => {
  open(true)
  pressBeside()
  expect(onClose).not.toHaveBeenCalled()
})
