import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Input } from './Input.tsx'

it.each([
  ['number', false],
  ['text', true],
])('of a %s has the focus while somebody scrolls over it: %s', (type, isKept) => {
  render(<Input type={type} aria-label="Price" defaultValue="680.50" />)
  const field = screen.getByLabelText('Price')
  field.focus()
  fireEvent.wheel(field)
  expect(document.activeElement === field).toBe(isKept)
})
