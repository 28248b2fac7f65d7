import { render } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { MessageText } from './MessageText.tsx'

it('looks through a message once, however often its conversation is drawn', () => {
  const looked = vi.spyOn(String.prototype, 'normalize')
  onTestFinished(() => looked.mockRestore())
  const view = render(<MessageText>Call me: 012-345 6789</MessageText>)
  expect(view.queryByRole('note')).not.toBeNull()
  view.rerender(<MessageText>Call me: 012-345 6789</MessageText>)
  expect(looked).toHaveBeenCalledTimes(1)
  view.rerender(<MessageText>Is it still there?</MessageText>)
  expect(view.queryByRole('note')).toBeNull()
})
