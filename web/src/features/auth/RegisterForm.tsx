import { zodResolver } from '@hookform/resolvers/zod'
import { plainMessage } from '@wangian/contracts/messages.ts'
import { useId } from 'react'
import { type UseFormRegisterReturn, type UseFormReturn, type UseFormSetError, useForm } from 'react-hook-form'
import { useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import type { z } from 'zod'
import { track } from '../../lib/analytics.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useSession } from '../../session/use-session.ts'
import { color, from, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { AuthForm } from './AuthForm.tsx'
import { rememberBegun } from './begun.ts'
import { isProviderError, reasonOf } from './reasons.ts'
import { Registration } from './schemas.ts'

/** The field that a refusal is about, by its code. */
const fieldOf = { username_exists: 'username', weak_password: 'password', email_address_invalid: 'email' } as const

const blank = {
  firstName: '',
  lastName: '',
  email: '',
  username: '',
  password: '',
  confirmPassword: '',
  hasAccepted: false,
}

type Typed = z.input<typeof Registration>
type Form = UseFormReturn<Typed, unknown, z.output<typeof Registration>>

/** What is typed into the form, for whoever shows it: it is kept while the form is not in sight. */
export function useRegistration(): Form {
  return useForm({ resolver: zodResolver(Registration, { error: plainMessage }), defaultValues: blank })
}

/** A new account. The page around it leads on, or says which mail is on its way. */
export function RegisterForm({ form, redirect }: { form: Form; redirect: string | null }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const { register, handleSubmit, formState, setError } = form
  const signUp = useSignUp(redirect, setError)
  const { errors, isSubmitting } = formState
  // In the order of the form: the focus goes to the first that is wrong.
  const fields = {
    firstName: register('firstName'),
    lastName: register('lastName'),
    email: register('email'),
    username: register('username'),
    password: register('password'),
    confirmPassword: register('confirmPassword'),
    hasAccepted: register('hasAccepted'),
  }

  return (
    <AuthForm noValidate onSubmit={(event) => void handleSubmit(signUp)(event)}>
      <Pair>
        <Field label={t('auth.firstName')} help={t('auth.optional')} error={wordsOf(errors.firstName)}>
          {(control) => <Input {...control} {...fields.firstName} autoComplete="given-name" />}
        </Field>
        <Field label={t('auth.lastName')} help={t('auth.optional')} error={wordsOf(errors.lastName)}>
          {(control) => <Input {...control} {...fields.lastName} autoComplete="family-name" />}
        </Field>
      </Pair>
      <Field label={t('auth.email')} error={wordsOf(errors.email)}>
        {(control) => <Input {...control} {...fields.email} type="email" autoComplete="email" />}
      </Field>
      <Field label={t('auth.username')} help={t('auth.usernameHelp')} error={wordsOf(errors.username)}>
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
        help={t('auth.passwordHelp')}
        error={wordsOf(errors.password)}
        autoComplete="new-password"
        {...fields.password}
      />
      <PasswordField
        label={t('auth.confirmPassword')}
        error={wordsOf(errors.confirmPassword)}
        autoComplete="new-password"
        {...fields.confirmPassword}
      />
      <TermsField field={fields.hasAccepted} error={wordsOf(errors.hasAccepted)} />
      <Button type="submit" wide busy={isSubmitting} busyLabel={t('auth.settingUp')}>
        {t('auth.register')}
      </Button>
    </AuthForm>
  )
}

/** @returns what makes the account; a refusal is said, and shown at its field if it is about one */
function useSignUp(redirect: string | null, setError: UseFormSetError<Typed>) {
  const { t } = useTranslation()
  const session = useSession()
  const navigate = useNavigate()
  return async ({ email, password, username, firstName, lastName }: z.output<typeof Registration>) => {
    try {
      rememberBegun('sign-up', email)
      const isSignedIn = await session.signUp({ email, password, username, firstName, lastName })
      track('sign_up', { method: 'email' })
      if (isSignedIn) return
      void navigate(paths.auth({ registration: 'success', redirect: redirect ?? undefined }), { state: { email } })
    } catch (error) {
      if (isProviderError(error, ...Object.keys(fieldOf))) {
        const field = fieldOf[error.code as keyof typeof fieldOf]
        setError(field, { message: error.message }, { shouldFocus: true })
      }
      showToast({
        title: t('auth.registrationFailed'),
        description: reasonOf(error, t('auth.tryAgain')),
        tone: 'destructive',
      })
    }
  }
}

function TermsField({ field, error }: { field: UseFormRegisterReturn; error: string | undefined }) {
  const { t } = useTranslation()
  const errorId = useId()
  return (
    <div>
      <TermsLine>
        <Terms>
          <input
            type="checkbox"
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? errorId : undefined}
            {...field}
          />
          {t('auth.terms')}
        </Terms>
        {/* A new tab, so that what was filled in stays. */}
        <a href={paths.terms()} target="_blank" rel="noreferrer">
          {t('auth.readTerms')} <VisuallyHidden>{t('auth.inNewTab')}</VisuallyHidden>
        </a>
      </TermsLine>
      {error && (
        <TermsError id={errorId} role="alert">
          {error}
        </TermsError>
      )}
    </div>
  )
}

const Pair = styled.div`
  display: grid;
  gap: ${space(5)};
  ${from.tablet} { grid-template-columns: 1fr 1fr; }
`

const TermsLine = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(4)};
  align-items: center;
  justify-content: space-between;
  a { color: ${color.accent}; }
`

const Terms = styled.label`
  display: flex;
  gap: ${space(3)};
  align-items: center;
  min-height: ${space(9)};
  cursor: pointer;
  input { flex: none; width: ${space(5)}; height: ${space(5)}; margin: 0; accent-color: ${color.accent}; }
`

const TermsError = styled.p`
  color: ${color.live};
  font-size: ${text.small};
`
