import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import type { z } from 'zod'
import { isApiError } from '../../api/api-error.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, Input } from '../../ui/Field.tsx'
import { FormPart } from '../../ui/FormPart.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { PasswordChange } from './account-forms.ts'
import { changePassword } from './api.ts'
import { reasonOr } from './reasons.ts'

/** A new password for the one at hand. `username` tells password managers whose it is. */
export function PasswordForm({ username, onDirty }: { username: string; onDirty: (isDirty: boolean) => void }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
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
      await changePassword({ currentPassword, newPassword })
      reset()
      showToast({ title: t('account.passwordChanged'), description: t('account.passwordChangedText') })
    } catch (error) {
      if (isApiError(error, 'wrong-password')) {
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
    <FormPart title={t('account.password')} intro={t('account.passwordIntro')}>
      <Form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
        <input type="text" name="username" value={username} autoComplete="username" readOnly hidden />
        <Field
          label={t('account.currentPassword')}
          error={wordsOf(errors.currentPassword)}
          help={t('account.noPassword')}
        >
          {(control) => (
            <Input {...control} {...register('currentPassword')} type="password" autoComplete="current-password" />
          )}
        </Field>
        <Field label={t('account.newPassword')} error={wordsOf(errors.newPassword)} help={t('account.newPasswordHelp')}>
          {(control) => <Input {...control} {...register('newPassword')} type="password" autoComplete="new-password" />}
        </Field>
        <Field label={t('account.confirmPassword')} error={wordsOf(errors.confirmPassword)}>
          {(control) => (
            <Input {...control} {...register('confirmPassword')} type="password" autoComplete="new-password" />
          )}
        </Field>
        <div>
          <Button type="submit" busy={isSubmitting} busyLabel={t('account.changingPassword')}>
            {t('account.changePassword')}
          </Button>
        </div>
      </Form>
    </FormPart>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
`
