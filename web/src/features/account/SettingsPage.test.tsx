import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { accountRoutes } from '@wangian/contracts/account.ts'
import { type CurrentUser, identityRoutes } from '@wangian/contracts/identity.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AuthProvider, ProviderError } from '../../session/auth-provider.ts'
import { useCurrentUser } from '../../session/use-current-user.ts'
import { currentUser, tokenFor } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import SettingsPage from './SettingsPage.tsx'

const bala: CurrentUser = { ...currentUser, firstName: 'Bala', address: 'Jalan Ampang 1' }
let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>

async function open(person: CurrentUser, provider?: Partial<AuthProvider>): Promise<void> {
  api = mockApi()
  api.answer(identityRoutes.me, () => person)
  api.answer(identityRoutes.logout, () => ({ success: true as const }))
  view = renderAt('/account/settings', <SettingsPage />, person, provider)
  await screen.findByRole('heading', { name: 'Personal details' })
}
beforeEach(() => open(bala))
afterEach(() => {
  view.end()
  api.restore()
})

/** Stands for all that reads the person once more. */
function ReadAgain() {
  const { mutate } = useCurrentUser()
  return (
    <button type="button" onClick={() => void mutate()}>
      Read again
    </button>
  )
}

/** A part of the page, or a dialog, and what can be done in it. */
function scope(element: HTMLElement) {
  const inside = within(element)
  return {
    ...inside,
    fill: (label: string, value: string) => fireEvent.change(inside.getByLabelText(label), { target: { value } }),
    press: (name: string) => fireEvent.click(inside.getByRole('button', { name })),
    errorOf: (label: string) => {
      const field = inside.getByLabelText(label)
      const below = field.getAttribute('aria-describedby')
      return field.getAttribute('aria-invalid') ? document.getElementById(below ?? '')?.textContent : undefined
    },
  }
}
const part = (name: string) => scope(screen.getByRole('region', { name }))
const bodyOf = (path: string) => api.received.find(({ url }) => url.pathname === path)?.body

describe('the personal details', () => {
  it('show what is known, and save what was changed', async () => {
    api.answer(accountRoutes.updateUser, ({ body }) => ({ ...bala, ...(body as object) }))
    const details = part('Personal details')
    expect(details.getByLabelText('First Name')).toHaveValue('Bala')
    expect(details.getByLabelText('Email')).toHaveValue('bala@wangian.test')
    expect(details.getByRole('button', { name: 'Save Changes' })).toBeDisabled()
    details.fill('Last Name', ' Krishnan ')
    details.fill('Address', '')
    details.getByRole('button', { name: 'Save Changes' }).focus()
    details.press('Save Changes')
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Profile updated' }]))
    // What is left as it was may have been changed elsewhere since.
    expect(bodyOf('/api/user/10')).toEqual({ lastName: 'Krishnan', address: null })
    expect(details.getByLabelText('Last Name').closest('form')).toHaveFocus()
    expect(details.getByRole('button', { name: 'Save Changes' })).toBeDisabled()
    expect(details.queryByText('Check your email')).toBeNull()
  })

  it('keep what is typed while they are saved', async () => {
    const { promise, resolve } = Promise.withResolvers<CurrentUser>()
    api.answer(accountRoutes.updateUser, () => promise)
    const details = part('Personal details')
    details.fill('Last Name', 'Krishnan')
    details.press('Save Changes')
    await waitFor(() => expect(bodyOf('/api/user/10')).toBeDefined())
    details.fill('Address', 'Jalan Ampang 2')
    resolve({ ...bala, lastName: 'Krishnan' })
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Profile updated' }]))
    expect(details.getByLabelText('Last Name')).toHaveValue('Krishnan')
    expect(details.getByLabelText('Address')).toHaveValue('Jalan Ampang 2')
    expect(details.getByRole('button', { name: 'Save Changes' })).toBeEnabled()
  })

  it('follow what was changed elsewhere, and keep what is typed', async () => {
    view.end()
    let stands = bala
    api.answer(identityRoutes.me, () => stands)
    const page = (
      <>
        <SettingsPage />
        <ReadAgain />
      </>
    )
    view = renderAt('/account/settings', page, bala)
    await screen.findByRole('heading', { name: 'Personal details' })
    const details = part('Personal details')
    details.fill('Last Name', 'Krishnan')
    stands = { ...bala, email: 'bala@new.test', address: 'Jalan Ampang 2' }
    fireEvent.click(screen.getByRole('button', { name: 'Read again' }))
    await waitFor(() => expect(details.getByLabelText('Address')).toHaveValue('Jalan Ampang 2'))
    expect(details.getByLabelText('Email')).toHaveValue('bala@new.test')
    expect(details.queryByLabelText('Current Password')).toBeNull()
    expect(details.getByLabelText('Last Name')).toHaveValue('Krishnan')
    api.answer(accountRoutes.updateUser, ({ body }) => ({ ...stands, ...(body as object) }))
    details.press('Save Changes')
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Profile updated' }]))
    expect(bodyOf('/api/user/10')).toEqual({ lastName: 'Krishnan' })
    expect(details.getByRole('button', { name: 'Save Changes' })).toBeDisabled()
  })

  it('ask for the password when the email changes, and say that a mail was sent', async () => {
    api.answer(accountRoutes.updateUser, () => bala)
    const details = part('Personal details')
    expect(details.queryByLabelText('Current Password')).toBeNull()
    details.fill('Email', 'Bala.New@wangian.test')
    details.press('Save Changes')
    await waitFor(() => expect(details.errorOf('Current Password')).toBe('Please enter your current password'))
    expect(bodyOf('/api/user/10')).toBeUndefined()
    details.fill('Current Password', 'demo-buyer')
    details.press('Save Changes')
    expect(await details.findByText('Check your email')).toBeInTheDocument()
    expect(details.getByText(/A mail was sent to bala\.new@wangian\.test/)).toBeInTheDocument()
    expect(bodyOf('/api/user/10')).toMatchObject({ email: 'bala.new@wangian.test', currentPassword: 'demo-buyer' })
    expect(details.getByLabelText('Email')).toHaveValue('bala@wangian.test')
  })

  it.each([
    ['First Name', 'x'.repeat(101), 'First name must be 100 characters or less'],
    ['Address', 'x'.repeat(501), 'Address must be 500 characters or less'],
    ['Email', 'nobody', 'Please enter a valid email address'],
  ])('refuse %s that is not possible', async (label, value, error) => {
    const details = part('Personal details')
    details.fill(label, value)
    details.press('Save Changes')
    await waitFor(() => expect(details.errorOf(label)).toBe(error))
  })

  it.each([
    ['wrong-password', 'Failed to update profile. Please try again.'],
    ['internal', 'Failed to update profile. Please try again.'],
    ['rate-limited', 'Too many requests'],
  ] as const)('say that it failed (%s)', async (code, description) => {
    api.answer(accountRoutes.updateUser, () => refusal(code))
    const details = part('Personal details')
    details.fill('Email', 'new@wangian.test')
    details.fill('Current Password', 'guessed')
    details.press('Save Changes')
    await waitFor(() =>
      expect(view.toasts).toMatchObject([{ title: 'Update failed', description, tone: 'destructive' }]),
    )
    expect(details.errorOf('Current Password')).toBe(
      code === 'wrong-password' ? 'This is not your current password' : undefined,
    )
    expect(details.getByLabelText('Email')).toHaveValue('new@wangian.test')
  })
})

describe('every password', () => {
  const shownIn = (form: ReturnType<typeof scope>) => form.getAllByRole('button', { name: 'Show password' }).length

  it('can be shown while it is typed', async () => {
    expect(shownIn(part('Password'))).toBe(3)
    part('Personal details').fill('Email', 'bala.new@wangian.test')
    await waitFor(() => expect(shownIn(part('Personal details'))).toBe(1))
    part('Delete account').press('Delete My Account')
    expect(shownIn(scope(await screen.findByRole('dialog')))).toBe(1)
  })
})

describe('the password', () => {
  const fillIn = (current: string, next: string, again: string) => {
    const password = part('Password')
    password.fill('Current Password', current)
    password.fill('New Password', next)
    password.fill('Confirm New Password', again)
    password.press('Change Password')
    return password
  }

  it('is changed', async () => {
    api.answer(accountRoutes.changePassword, () => ({ success: true as const }))
    const password = fillIn('demo-buyer', 'amber and oud', 'amber and oud')
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Password changed' }]))
    expect(bodyOf('/api/user/change-password')).toEqual({ currentPassword: 'demo-buyer', newPassword: 'amber and oud' })
    expect(password.getByLabelText('New Password')).toHaveValue('')
  })

  it('needs all three fields', async () => {
    const password = fillIn('', '', '')
    await waitFor(() => expect(password.errorOf('Current Password')).toBe('Please enter your current password'))
    expect(password.errorOf('New Password')).toBe('Please enter a new password')
    expect(password.errorOf('Confirm New Password')).toBe('Please enter the new password again')
  })

  it('must be long enough', async () => {
    const password = fillIn('demo-buyer', 'short', 'short')
    await waitFor(() => expect(password.errorOf('New Password')).toBe('Password must be at least 6 characters'))
  })

  it('must be the same twice', async () => {
    const password = fillIn('demo-buyer', 'amber and oud', 'amber and out')
    const words = 'New password and confirmation password must match'
    await waitFor(() =>
      expect(view.toasts).toMatchObject([{ title: "Passwords don't match", description: words, tone: 'destructive' }]),
    )
    expect(password.errorOf('Confirm New Password')).toBe(words)
    expect(api.countOf(accountRoutes.changePassword)).toBe(0)
  })

  it.each([
    ['wrong-password', 'Failed to change password. Please check your current password and try again.'],
    ['rate-limited', 'Too many requests'],
    ['bad-request', 'New password should be different from the old password.'],
  ] as const)('stays when the server refuses (%s)', async (code, description) => {
    api.answer(accountRoutes.changePassword, () =>
      code === 'bad-request' ? refusal(code, description) : refusal(code),
    )
    fillIn('guessed', 'amber and oud', 'amber and oud')
    await waitFor(() =>
      expect(view.toasts).toMatchObject([{ title: 'Password change failed', description, tone: 'destructive' }]),
    )
  })
})

describe('deleting the account', () => {
  const ask = async () => {
    part('Delete account').press('Delete My Account')
    return scope(await screen.findByRole('dialog', { name: 'Delete your account?' }))
  }

  it('takes the username, typed', async () => {
    const dialog = await ask()
    dialog.fill('Type bala to confirm', 'Bala')
    dialog.press('Delete My Account')
    await waitFor(() => expect(dialog.errorOf('Type bala to confirm')).toBe('Please type bala exactly like this'))
    expect(api.countOf(accountRoutes.closeAccount)).toBe(0)
  })

  it('says goodbye, leads home and forgets who it was', async () => {
    api.answer(accountRoutes.closeAccount, () => ({ success: true as const }))
    const dialog = await ask()
    dialog.fill('Type bala to confirm', 'bala')
    dialog.fill('Current Password', 'demo-buyer')
    dialog.press('Delete My Account')
    await waitFor(() => expect(view.whereabouts()).toBe('/'))
    expect(bodyOf('/api/user/10')).toEqual({ currentPassword: 'demo-buyer' })
    expect(view.toasts).toMatchObject([{ title: 'Account deleted' }])
    expect(view.session.state()).toEqual({ status: 'signed-out', hasLeft: true })
    expect(localStorage).toHaveLength(0)
  })

  it.each([
    ['wrong-password', 'Please enter your current password'],
    ['recent-sign-in-required', 'Please sign in again to do this.'],
  ] as const)('without a password is up to the server (%s)', async (code, words) => {
    api.answer(accountRoutes.closeAccount, () => refusal(code))
    const dialog = await ask()
    dialog.fill('Type bala to confirm', 'bala')
    dialog.press('Delete My Account')
    expect(await dialog.findByText(words)).toBeInTheDocument()
    expect(bodyOf('/api/user/10')).toEqual({})
  })

  it('does not happen with another password', async () => {
    api.answer(accountRoutes.closeAccount, () => refusal('wrong-password'))
    const dialog = await ask()
    dialog.fill('Type bala to confirm', 'bala')
    dialog.fill('Current Password', 'guessed')
    dialog.press('Delete My Account')
    await waitFor(() => expect(dialog.errorOf('Current Password')).toBe('This is not your current password'))
    expect(view.session.state()).toMatchObject({ status: 'signed-in' })
  })
})

/** Shows the page anew, to somebody else. */
async function reopen(person: CurrentUser, provider: Partial<AuthProvider>): Promise<void> {
  view.end()
  api.restore()
  await open(person, provider)
}

describe('somebody who signs in with Facebook, too', () => {
  const unlinkFacebook = vi.fn(async () => {})
  const linked = { isFacebookLinked: async () => true, unlinkFacebook }
  afterEach(() => unlinkFacebook.mockReset())

  it('can end that', async () => {
    await reopen(bala, linked)
    fireEvent.click(await screen.findByRole('button', { name: 'Disconnect Facebook' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Disconnect' }))
    await waitFor(() => expect(screen.queryByText('Connected accounts')).toBeNull())
    expect(unlinkFacebook).toHaveBeenCalledOnce()
    expect(view.toasts).toMatchObject([{ title: 'Facebook disconnected' }])
  })

  it('is told when that fails, and stays connected', async () => {
    unlinkFacebook.mockRejectedValueOnce(new Error('away'))
    await reopen(bala, linked)
    fireEvent.click(await screen.findByRole('button', { name: 'Disconnect Facebook' }))
    fireEvent.click(await screen.findByRole('button', { name: 'Disconnect' }))
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Facebook could not be disconnected' }]))
    expect(screen.getByText('Connected accounts')).toBeInTheDocument()
  })

  it('cannot when it is the only way in', async () => {
    await reopen({ ...bala, hasPassword: false }, linked)
    expect(await screen.findByRole('button', { name: 'Disconnect Facebook' })).toBeDisabled()
  })
})

describe('somebody without a password', () => {
  const viaFacebook: CurrentUser = { ...bala, hasPassword: false }
  const sent = /A mail was sent to bala@wangian\.test/

  it('is shown the way to a first one', async () => {
    const requestReset = vi.fn(async () => {})
    await reopen(viaFacebook, { requestReset })
    const password = part('Password')
    expect(password.queryByLabelText('Current Password')).toBeNull()
    password.press('Send me a mail to set a password')
    expect(await password.findByText(sent)).toBeInTheDocument()
    expect(requestReset.mock.calls).toEqual([['bala@wangian.test']])
  })

  it('sets one before the email can change', async () => {
    const requestReset = vi.fn(async () => {})
    await reopen(viaFacebook, { requestReset })
    const details = part('Personal details')
    details.fill('Email', 'new@wangian.test')
    expect(details.queryByLabelText('Current Password')).toBeNull()
    expect(details.getByText(/Before your email address can change, set one/)).toBeInTheDocument()
    expect(details.getByRole('button', { name: 'Save Changes' })).toBeDisabled()
    details.press('Send me a mail to set a password')
    expect(await details.findByText(sent)).toBeInTheDocument()
    expect(api.countOf(accountRoutes.updateUser)).toBe(0)
  })

  it('is told when the mail cannot be sent, and may try again', async () => {
    const refused = new ProviderError('email rate limit exceeded', 'over_email_send_rate_limit')
    await reopen(viaFacebook, { requestReset: () => Promise.reject(refused) })
    part('Password').press('Send me a mail to set a password')
    await waitFor(() =>
      expect(view.toasts).toMatchObject([
        { title: 'The mail could not be sent', description: 'email rate limit exceeded', tone: 'destructive' },
      ]),
    )
    expect(part('Password').getByRole('button', { name: 'Send me a mail to set a password' })).toBeEnabled()
  })

  it('leaves without one', async () => {
    await reopen(viaFacebook, {})
    api.answer(accountRoutes.closeAccount, () => refusal('recent-sign-in-required'))
    part('Delete account').press('Delete My Account')
    const dialog = scope(await screen.findByRole('dialog', { name: 'Delete your account?' }))
    expect(dialog.queryByLabelText('Current Password')).toBeNull()
    dialog.fill('Type bala to confirm', 'bala')
    dialog.press('Delete My Account')
    expect(await dialog.findByText('Please sign in again to do this.')).toBeInTheDocument()
  })
})

describe('with a hosted auth provider', () => {
  const hosted: CurrentUser = { ...bala, hasPassword: null }
  const tokens = () =>
    api.answer(identityRoutes.exchangeSession, () => ({ token: tokenFor(hosted, Date.now() + 900_000), user: hosted }))
  const fillPassword = () => {
    const password = part('Password')
    password.fill('Current Password', 'demo-buyer')
    password.fill('New Password', 'amber and oud')
    password.fill('Confirm New Password', 'amber and oud')
    password.press('Change Password')
    return password
  }

  it('changes the password there, and ends the other sessions here', async () => {
    const changePassword = vi.fn(async () => 'provider-token')
    await reopen(hosted, { changePassword })
    tokens()
    fillPassword()
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Password changed' }]))
    expect(changePassword.mock.calls).toEqual([
      [{ email: 'bala@wangian.test', currentPassword: 'demo-buyer', newPassword: 'amber and oud', factor: undefined }],
    ])
    expect(bodyOf('/api/v1/auth/session')).toEqual({ supabaseToken: 'provider-token' })
    expect(bodyOf('/api/v1/auth/logout')).toEqual({ scope: 'others' })
    expect(api.countOf(accountRoutes.changePassword)).toBe(0)
  })

  it.each([
    [
      'invalid_credentials',
      'Invalid login credentials',
      'Failed to change password. Please check your current password and try again.',
    ],
    ['weak_password', 'Password is too short', 'Password is too short'],
  ])('says so when the provider refuses (%s)', async (code, message, description) => {
    await reopen(hosted, { changePassword: () => Promise.reject(new ProviderError(message, code)) })
    const password = fillPassword()
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Password change failed', description }]))
    expect(password.errorOf('Current Password')).toBe(
      code === 'invalid_credentials' ? 'This is not your current password' : undefined,
    )
    expect(api.countOf(identityRoutes.logout)).toBe(0)
  })

  it('asks for the second factor where the provider does', async () => {
    const changePassword = vi.fn(async ({ factor }: { factor: string | undefined }) => {
      if (factor === '123456') return 'provider-token'
      throw new ProviderError('No', factor === undefined ? 'insufficient_aal' : 'mfa_verification_failed')
    })
    await reopen(hosted, { changePassword })
    tokens()
    const password = fillPassword()
    expect(await password.findByLabelText('Code')).toHaveFocus()
    password.fill('Code', '000000')
    password.press('Change Password')
    await waitFor(() => expect(password.errorOf('Code')).toContain('This code is not right'))
    password.fill('Code', '123456')
    password.press('Change Password')
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Password changed' }]))
    expect(password.queryByLabelText('Code')).toBeNull()
  })

  it('changes the email there, and saves the rest here', async () => {
    const changeEmail = vi.fn(async () => 'provider-token')
    await reopen(hosted, { changeEmail })
    tokens()
    api.answer(accountRoutes.updateUser, () => hosted)
    const details = part('Personal details')
    details.fill('Address', 'Jalan Ampang 2')
    details.fill('Email', 'new@wangian.test')
    details.fill('Current Password', 'demo-buyer')
    details.press('Save Changes')
    expect(await details.findByText('Check your email')).toBeInTheDocument()
    expect(changeEmail.mock.calls).toEqual([
      [{ email: 'bala@wangian.test', currentPassword: 'demo-buyer', newEmail: 'new@wangian.test', factor: undefined }],
    ])
    expect(bodyOf('/api/user/10')).toEqual({ address: 'Jalan Ampang 2' })
  })
})
