import { zodResolver } from '@hookform/resolvers/zod'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import type { z } from 'zod'
import { track } from '../../lib/analytics.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { paths } from '../../paths.ts'
import { useSession } from '../../session/use-session.ts'
import { color, from, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { reasonOf } from './SignInForm.tsx'
import { Registration } from './schemas.ts'

/** A new account. */
export function RegisterForm() {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const session = useSession()
  const navigate = useNavigate()
  const termsId = useId()
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(Registration),
    defaultValues: {
      firstName: '',
      lastName: '',
      email: '',
      username: '',
      password: '',
      confirmPassword: '',
      hasAccepted: false,
    },
  })
  const { errors, isSubmitting } = formState

  const submit = async ({ email, password, username, firstName, lastName }: z.infer<typeof Registration>) => {
    try {
      const isSignedIn = await session.signUp({ email, password, username, firstName, lastName })
      track('sign_up', { method: 'email' })
      if (!isSignedIn) void navigate(paths.auth({ registration: 'success' }))
    } catch (error) {
      showToast({
        title: t('auth.registrationFailed'),
        description: reasonOf(error, t('auth.tryAgain')),
        tone: 'destructive',
      })
    }
  }

  return (
    <Form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <Pair>
        <Field label={t('auth.firstName')} help={t('auth.optional')} error={wordsOf(errors.firstName)}>
          {(control) => <Input {...control} {...register('firstName')} autoComplete="given-name" />}
        </Field>
        <Field label={t('auth.lastName')} help={t('auth.optional')} error={wordsOf(errors.lastName)}>
          {(control) => <Input {...control} {...register('lastName')} autoComplete="family-name" />}
        </Field>
      </Pair>
      <Field label={t('auth.email')} error={wordsOf(errors.email)}>
        {(control) => <Input {...control} {...register('email')} type="email" autoComplete="email" />}
      </Field>
      <Field label={t('auth.username')} error={wordsOf(errors.username)}>
        {(control) => <Input {...control} {...register('username')} autoComplete="username" autoCapitalize="none" />}
      </Field>
      <Field label={t('auth.password')} error={wordsOf(errors.password)}>
        {(control) => <Input {...control} {...register('password')} type="password" autoComplete="new-password" />}
      </Field>
      <Field label={t('auth.confirmPassword')} error={wordsOf(errors.confirmPassword)}>
        {(control) => (
          <Input {...control} {...register('confirmPassword')} type="password" autoComplete="new-password" />
        )}
      </Field>
      <div>
        <Terms>
          <input
            type="checkbox"
            aria-invalid={errors.hasAccepted ? true : undefined}
            aria-describedby={errors.hasAccepted ? termsId : undefined}
            {...register('hasAccepted')}
          />
          {t('auth.terms')}
        </Terms>
        {errors.hasAccepted && (
          <TermsError id={termsId} role="alert">
            {wordsOf(errors.hasAccepted)}
          </TermsError>
        )}
      </div>
      <Button type="submit" wide busy={isSubmitting} busyLabel={t('auth.settingUp')}>
        {t('auth.register')}
      </Button>
    </Form>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
`

const Pair = styled.div`
  display: grid;
  gap: ${space(5)};
  ${from.tablet} { grid-template-columns: 1fr 1fr; }
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
