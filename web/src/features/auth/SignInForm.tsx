import { zodResolver } from '@hookform/resolvers/zod'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { styled } from 'styled-components'
import { isApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { track } from '../../lib/analytics.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useSession } from '../../session/use-session.ts'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { AuthForm, Banner, TextButton } from './AuthForm.tsx'
import { ConfirmEmail } from './ConfirmEmail.tsx'
import { FacebookButton } from './FacebookButton.tsx'
import { ForgotForm } from './ForgotForm.tsx'
import { isProviderError, reasonOf } from './reasons.ts'
import { EmailSignIn, UsernameSignIn } from './schemas.ts'

/**
 * From here on a wrong password may be a right one: the server answers both alike once an account's tries are used up. It must not say
 * so, for a stranger could ask it whose address it is; here everybody is told who has tried as often.
 */
const WRONG_TRIES_TOLD = 5

/** What is typed to sign in, and which form is shown, for whoever shows it: both are kept while they are not in sight. */
export function useSigningIn() {
  const [mode, setMode] = useState<'username' | 'email' | 'forgot'>('username')
  const byUsername = useForm({
    resolver: zodResolver(UsernameSignIn),
    defaultValues: { username: '', password: '' },
  })
  const byEmail = useForm({
    resolver: zodResolver(EmailSignIn),
    defaultValues: { email: '', password: '' },
  })
  return { mode, setMode, byUsername, byEmail }
}

type Forms = ReturnType<typeof useSigningIn>

/** Signing in by username, by email, or asking for a new password. The page around it leads on when that worked. */
export function SignInForm({ forms, redirect }: { forms: Forms; redirect: string | null }) {
  const { t } = useTranslation()
  const { mode, setMode, byUsername, byEmail } = forms
  const [unconfirmed, setUnconfirmed] = useState<string | null>(null)
  // For both forms: who changes to the other goes on trying.
  const signIn = useSignIn(setUnconfirmed)
  useFocusOnOther(forms)
  if (mode === 'forgot') {
    return (
      <ForgotForm
        email={byEmail.getValues('email')}
        onEmail={(email) => byEmail.setValue('email', email)}
        redirect={redirect}
        onBack={() => setMode(byEmail.getValues('email') ? 'email' : 'username')}
      />
    )
  }
  const isByUsername = mode === 'username'
  const links = (
    <Links>
      <TextButton type="button" onClick={() => setMode(isByUsername ? 'email' : 'username')}>
        {isByUsername ? t('auth.withEmail') : t('auth.withUsername')}
      </TextButton>
      <TextButton type="button" onClick={() => setMode('forgot')}>
        {t('auth.forgot')}
      </TextButton>
    </Links>
  )
  return (
    <Stack>
      {unconfirmed && (
        <Banner tone="warn" title={t('auth.unconfirmedTitle')}>
          <p>{t('auth.unconfirmedText')}</p>
          <ConfirmEmail key={unconfirmed} login={unconfirmed} wasJustSent={false} />
        </Banner>
      )}
      {isByUsername ? (
        <UsernameForm form={byUsername} signIn={signIn}>
          {links}
        </UsernameForm>
      ) : (
        <EmailForm form={byEmail} signIn={signIn}>
          {links}
        </EmailForm>
      )}
      <FacebookButton redirect={redirect} />
    </Stack>
  )
}

/** What leads to another form goes with the one that it is in: the focus goes to the first field of the other one. */
function useFocusOnOther({ mode, byUsername, byEmail }: Forms): void {
  const shown = useRef(mode)
  useEffect(() => {
    if (shown.current === mode) return
    shown.current = mode
    if (mode === 'username') byUsername.setFocus('username')
    if (mode === 'email') byEmail.setFocus('email')
  }, [mode, byUsername, byEmail])
}

/** @returns whether that worked */
type SignIn = (method: 'username' | 'email', loginOf: () => Promise<string>, password: string) => Promise<boolean>

function useSignIn(onUnconfirmed: (login: string | null) => void): SignIn {
  const { t } = useTranslation()
  const session = useSession()
  const wrongTries = useRef(0)
  const reasonFor = (error: unknown) => {
    const reason = reasonOf(error, t('auth.tryAgain'))
    if (!isProviderError(error, 'invalid_credentials')) return reason
    wrongTries.current += 1
    return wrongTries.current < WRONG_TRIES_TOLD ? reason : t('auth.manyTries', { reason })
  }
  return async (method, loginOf, password) => {
    let login: string | undefined
    try {
      login = await loginOf()
      await session.signIn({ email: login }, password)
      track('login', { method })
      return true
    } catch (error) {
      // The page asks for it.
      if (isApiError(error, 'second-factor-required')) return true
      const isUnknown = isApiError(error, 'username-not-found')
      onUnconfirmed(isProviderError(error, 'email_not_confirmed') ? (login ?? null) : null)
      showToast({
        title: isUnknown ? t('auth.usernameNotFound') : t('auth.loginFailed'),
        description: isUnknown ? undefined : reasonFor(error),
        tone: 'destructive',
      })
      return false
    }
  }
}

function UsernameForm({ form, signIn, children }: { form: Forms['byUsername']; signIn: SignIn; children: ReactNode }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const { register, handleSubmit, formState, setFocus } = form
  const { errors, isSubmitting } = formState
  // In the order of the form: the focus goes to the first that is wrong.
  const fields = { username: register('username'), password: register('password') }
  const submit = async ({ username, password }: { username: string; password: string }) => {
    // No username has one: who types an address here is not told that there is no such name.
    const isEmail = username.includes('@')
    const loginOf = async () =>
      isEmail ? username : (await call(identityRoutes.lookupEmail, { body: { username } })).email
    if (!(await signIn(isEmail ? 'email' : 'username', loginOf, password))) setFocus('password', { shouldSelect: true })
  }
  return (
    <AuthForm noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <Field label={t('auth.username')} error={wordsOf(errors.username)}>
        {(control) => (
          <Input
            {...control}
            {...fields.username}
            autoComplete="username"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
          />
        )}
      </Field>
      <PasswordField
        label={t('auth.password')}
        error={wordsOf(errors.password)}
        autoComplete="current-password"
        {...fields.password}
      />
      <Submit busy={isSubmitting} />
      {children}
    </AuthForm>
  )
}

function EmailForm({ form, signIn, children }: { form: Forms['byEmail']; signIn: SignIn; children: ReactNode }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const { register, handleSubmit, formState, setFocus } = form
  const { errors, isSubmitting } = formState
  const fields = { email: register('email'), password: register('password') }
  const submit = async ({ email, password }: { email: string; password: string }) => {
    if (!(await signIn('email', async () => email, password))) setFocus('password', { shouldSelect: true })
  }
  return (
    <AuthForm noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <Field label={t('auth.email')} error={wordsOf(errors.email)}>
        {(control) => <Input {...control} {...fields.email} type="email" autoComplete="email" />}
      </Field>
      <PasswordField
        label={t('auth.password')}
        error={wordsOf(errors.password)}
        autoComplete="current-password"
        {...fields.password}
      />
      <Submit busy={isSubmitting} />
      {children}
    </AuthForm>
  )
}

function Submit({ busy }: { busy: boolean }) {
  const { t } = useTranslation()
  return (
    <Button type="submit" wide busy={busy} busyLabel={t('auth.signingIn')}>
      {t('auth.signIn')}
    </Button>
  )
}

const Stack = styled.div`
  display: grid;
  gap: ${space(6)};
`

const Links = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(6)};
  justify-content: space-between;
`
