import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import { ApiError, isApiError } from '../../api/api-error.ts'
import { track } from '../../lib/analytics.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { ProviderError } from '../../session/auth-provider.ts'
import { useSession } from '../../session/use-session.ts'
import { color, space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { EmailSignIn, UsernameSignIn } from './schemas.ts'

type Name = { username: string } | { email: string }

/** Signing in by username, or by email. The page around it leads on when that worked. */
export function SignInForm() {
  const { t } = useTranslation()
  const [mode, setMode] = useState<'username' | 'email'>('username')
  const signIn = useSignIn()
  const isByUsername = mode === 'username'
  return (
    <Stack>
      {isByUsername ? <UsernameForm signIn={signIn} /> : <EmailForm signIn={signIn} />}
      <Switch type="button" onClick={() => setMode(isByUsername ? 'email' : 'username')}>
        {isByUsername ? t('auth.withEmail') : t('auth.withUsername')}
      </Switch>
    </Stack>
  )
}

type SignIn = (name: Name, password: string) => Promise<void>

function useSignIn(): SignIn {
  const { t } = useTranslation()
  const session = useSession()
  return async (name, password) => {
    try {
      await session.signIn(name, password)
      track('login', { method: 'email' in name ? 'email' : 'username' })
    } catch (error) {
      const isUnknown = isApiError(error, 'username-not-found')
      showToast({
        title: isUnknown ? t('auth.usernameNotFound') : t('auth.loginFailed'),
        description: isUnknown ? undefined : reasonOf(error, t('auth.tryAgain')),
        tone: 'destructive',
      })
    }
  }
}

function UsernameForm({ signIn }: { signIn: SignIn }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(UsernameSignIn),
    defaultValues: { username: '', password: '' },
  })
  const { errors, isSubmitting } = formState
  return (
    <Form noValidate onSubmit={(event) => void handleSubmit((form) => signIn(form, form.password))(event)}>
      <Field label={t('auth.username')} error={wordsOf(errors.username)}>
        {(control) => <Input {...control} {...register('username')} autoComplete="username" autoCapitalize="none" />}
      </Field>
      <Field label={t('auth.password')} error={wordsOf(errors.password)}>
        {(control) => <Input {...control} {...register('password')} type="password" autoComplete="current-password" />}
      </Field>
      <Submit busy={isSubmitting} />
    </Form>
  )
}

function EmailForm({ signIn }: { signIn: SignIn }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(EmailSignIn),
    defaultValues: { email: '', password: '' },
  })
  const { errors, isSubmitting } = formState
  return (
    <Form noValidate onSubmit={(event) => void handleSubmit((form) => signIn(form, form.password))(event)}>
      <Field label={t('auth.email')} error={wordsOf(errors.email)}>
        {(control) => <Input {...control} {...register('email')} type="email" autoComplete="email" />}
      </Field>
      <Field label={t('auth.password')} error={wordsOf(errors.password)}>
        {(control) => <Input {...control} {...register('password')} type="password" autoComplete="current-password" />}
      </Field>
      <Submit busy={isSubmitting} />
    </Form>
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

/** The provider's or our server's own sentence. */
export function reasonOf(error: unknown, otherwise: string): string {
  if (error instanceof ProviderError) return error.message
  return error instanceof ApiError ? error.shown : otherwise
}

const Stack = styled.div`
  display: grid;
  gap: ${space(5)};
  justify-items: start;
`

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
  width: 100%;
`

const Switch = styled.button`
  min-height: ${space(9)};
  padding: 0;
  border: 0;
  background: none;
  color: ${color.accent};
  text-decoration: underline;
  text-underline-offset: 0.2em;
`
