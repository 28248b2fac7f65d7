import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderAt } from '../../testing/render.tsx'
import AuthPage from './AuthPage.tsx'

it('keeps what is filled in while the other tab is looked at', async () => {
  renderAt('/register', <AuthPage opens="register" />)
  const fill = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  fill('Email', 'nadia@wangian.test')
  fill('Password', 'rose-oud-amber')
  fireEvent.click(screen.getByLabelText('I agree to the terms and conditions'))
  fireEvent.click(screen.getByRole('tab', { name: 'Sign In' }))
  expect(await screen.findByRole('button', { name: 'Forgot password?' })).toBeInTheDocument()
  fireEvent.click(screen.getByRole('tab', { name: 'Register' }))
  expect(await screen.findByLabelText('Email')).toHaveValue('nadia@wangian.test')
  expect(screen.getByLabelText('Password')).toHaveValue('rose-oud-amber')
  expect(screen.getByLabelText('I agree to the terms and conditions')).toBeChecked()
})
