import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useSession } from '../../session/use-session.ts'
import { color, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { AuthForm, TextButton } from './AuthForm.tsx'
import { reasonOf } from './reasons.ts'
import { ResetRequest } from './schemas.ts'

/** Asking for the mail with which a new password is chosen. What it says is the same for unknown addresses. */
export function ForgotForm({
  email,
  onEmail,
  redirect,
  onBack,
}: {
  email: string
  onEmail: (email: string) => void
  redirect: string | null
  onBack: () => void
}) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const session = useSession()
  const navigate = useNavigate()
  const { register, handleSubmit, formState, setFocus } = useForm({
    resolver: zodResolver(ResetRequest),
    defaultValues: { email },
  })
  const { errors, isSubmitting } = formState
  const field = register('email', { onChange: (event) => onEmail(event.target.value) })

  const submit = async (form: { email: string }) => {
    try {
      await (await session.provider()).requestReset(form.email)
      void navigate(paths.auth({ reset: 'requested', redirect: redirect ?? undefined }), { state: form })
    } catch (error) {
      showToast({ title: t('auth.resetFailed'), description: reasonOf(error, t('auth.tryAgain')), tone: 'destructive' })
      setFocus('email')
    }
  }

  return (
    <AuthForm noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <div>
        <Title>{t('auth.forgotTitle')}</Title>
        <Words>{t('auth.forgotText')}</Words>
      </div>
      <Field label={t('auth.email')} error={wordsOf(errors.email)}>
        {(control) => <Input {...control} {...field} type="email" autoComplete="email" autoFocus />}
      </Field>
      <Button type="submit" wide busy={isSubmitting} busyLabel={t('auth.sending')}>
        {t('auth.sendReset')}
      </Button>
      <div>
        <TextButton type="button" onClick={onBack}>
          {t('auth.backToLogin')}
        </TextButton>
      </div>
    </AuthForm>
  )
}

const Title = styled.h2`
  font-size: ${text.title};
`

const Words = styled.p`
  margin-top: ${space(2)};
  color: ${color.muted};
`
