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

it('keeps what is filled in to sign in while the other tab is looked at', async () => {
  renderAt('/auth', <AuthPage />)
  const fill = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  const lookAtTheOther = async () => {
    fireEvent.click(screen.getByRole('tab', { name: 'Register' }))
    await screen.findByLabelText('Confirm Password')
    fireEvent.click(screen.getByRole('tab', { name: 'Sign In' }))
  }
  fill('Username', 'nadia')
  fill('Password', 'rose-oud-amber')
  await lookAtTheOther()
  expect(await screen.findByLabelText('Username')).toHaveValue('nadia')
  expect(screen.getByLabelText('Password')).toHaveValue('rose-oud-amber')
  fireEvent.click(screen.getByRole('button', { name: 'Sign in with email instead' }))
  fill('Email', 'nadia@wangian.test')
  await lookAtTheOther()
  expect(await screen.findByLabelText('Email')).toHaveValue('nadia@wangian.test')
  fireEvent.click(screen.getByRole('button', { name: 'Forgot password?' }))
  expect(screen.getByLabelText('Email')).toHaveValue('nadia@wangian.test')
  fill('Email', 'nadia@wangian.example')
  await lookAtTheOther()
  expect(await screen.findByLabelText('Email')).toHaveValue('nadia@wangian.example')
})
