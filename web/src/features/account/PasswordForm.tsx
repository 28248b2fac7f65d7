import { zodResolver } from '@hookform/resolvers/zod'
import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { styled } from 'styled-components'
import type { z } from 'zod'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { isWrongPassword, reasonOr } from '../../profile/reasons.ts'
import { useFactorField } from '../../profile/use-factor-field.tsx'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { FormPart } from '../../ui/FormPart.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { PasswordChange } from './account-forms.ts'
import { useChangePassword } from './api.ts'
import { FirstPassword } from './FirstPassword.tsx'

interface PasswordProps {
  person: CurrentUser
  onDirty: (isDirty: boolean) => void
}

/** A new password for the one at hand, or the way to a first one. */
export function PasswordForm({ person, onDirty }: PasswordProps) {
  const { t } = useTranslation()
  if (person.hasPassword === false) {
    return (
      <FormPart title={t('account.password')} intro={t('account.passwordNone')}>
        <FirstPassword person={person} />
      </FormPart>
    )
  }
  return (
    <FormPart title={t('account.password')} intro={t('account.passwordIntro')}>
      <ChangeForm person={person} onDirty={onDirty} />
    </FormPart>
  )
}

function ChangeForm({ person, onDirty }: PasswordProps) {
  const { t } = useTranslation()
  const changePassword = useChangePassword(person)
  const wordsOf = useFieldError()
  const factor = useFactorField()
  const { register, handleSubmit, formState, reset, setError, setFocus } = useForm({
    resolver: zodResolver(PasswordChange),
    defaultValues: { currentPassword: '', newPassword: '', confirmPassword: '' },
  })
  const { errors, isSubmitting, isDirty } = formState
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])

  const submit = async ({ currentPassword, newPassword, confirmPassword }: z.infer<typeof PasswordChange>) => {
    if (newPassword !== confirmPassword) {
      setError('confirmPassword', { message: 'account.rules.match' })
      setFocus('confirmPassword')
      showToast({ title: t('account.mismatch'), description: t('account.rules.match'), tone: 'destructive' })
      return
    }
    try {
      await changePassword({ currentPassword, newPassword }, factor.typed())
      reset()
      factor.clear()
      showToast({ title: t('account.passwordChanged'), description: t('account.passwordChangedText') })
    } catch (error) {
      if (factor.isAsked(error)) return
      if (isWrongPassword(error)) {
        setError('currentPassword', { message: 'account.rules.wrongPassword' })
        setFocus('currentPassword')
      }
      showToast({
        title: t('account.passwordFailed'),
        description: reasonOr(error, t('account.passwordFailedText')),
        tone: 'destructive',
      })
    }
  }

  return (
    <Form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <input type="text" name="username" value={person.username} autoComplete="username" readOnly hidden />
      <PasswordField
        label={t('account.currentPassword')}
        error={wordsOf(errors.currentPassword)}
        help={person.hasPassword === null && t('account.noPassword')}
        autoComplete="current-password"
        {...register('currentPassword')}
      />
      <PasswordField
        label={t('account.newPassword')}
        error={wordsOf(errors.newPassword)}
        help={t('account.newPasswordHelp')}
        autoComplete="new-password"
        {...register('newPassword')}
      />
      <PasswordField
        label={t('account.confirmPassword')}
        error={wordsOf(errors.confirmPassword)}
        autoComplete="new-password"
        {...register('confirmPassword')}
      />
      {factor.field}
      <div>
        <Button type="submit" busy={isSubmitting} busyLabel={t('account.changingPassword')}>
          {t('account.changePassword')}
        </Button>
      </div>
    </Form>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
`
