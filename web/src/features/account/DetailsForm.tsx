import { zodResolver } from '@hookform/resolvers/zod'
import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { styled } from 'styled-components'
import type { z } from 'zod'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useUpdateUser } from '../../profile/api.ts'
import { changedFields } from '../../profile/changed-fields.ts'
import { isWrongPassword, reasonOr } from '../../profile/reasons.ts'
import { useFactorField } from '../../profile/use-factor-field.tsx'
import { color, space, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { FieldPair, FormPart } from '../../ui/FormPart.tsx'
import { Input } from '../../ui/Input.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { detailsForm, isSameEmail } from './account-forms.ts'
import { useChangeEmail } from './api.ts'
import { FirstPassword } from './FirstPassword.tsx'

/** Names, email and address of a person. */
export function DetailsForm({ person, onDirty }: { person: CurrentUser; onDirty: (isDirty: boolean) => void }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const factor = useFactorField()
  const updateUser = useUpdateUser(person.id)
  const changeEmail = useChangeEmail(person)
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  const frame = useRef<HTMLFormElement>(null)
  const save = useRef<HTMLButtonElement>(null)
  const { register, handleSubmit, formState, watch, getValues, setValue, reset, setError } = useForm({
    resolver: zodResolver(detailsForm(person.email)),
    // They may be read again: a new address is confirmed in another tab.
    values: valuesOf(person),
    resetOptions: { keepDirty: true, keepDirtyValues: true },
  })
  const { errors, isSubmitting, isDirty, dirtyFields } = formState
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])
  const isNewEmail = !isSameEmail(watch('email'), person.email)

  const submit = async ({ email, currentPassword, ...rest }: z.output<ReturnType<typeof detailsForm>>) => {
    const sent = getValues()
    const changed = changedFields(rest, dirtyFields)
    try {
      const change = { ...changed, email, currentPassword }
      const saved = await (isNewEmail ? changeEmail(change, factor.typed()) : updateUser(changed))
      const typed = getValues()
      reset(valuesOf(saved), { keepDirty: false, keepDirtyValues: false })
      // What was typed meanwhile is not saved yet.
      for (const name of Object.keys(sent) as (keyof typeof sent)[]) {
        if (typed[name] !== sent[name]) setValue(name, typed[name], { shouldDirty: true })
      }
      factor.clear()
      // It cannot be pressed again until something is changed, and would lose the focus.
      if (document.activeElement === save.current) frame.current?.focus({ preventScroll: true })
      setMailedTo(isNewEmail ? email : null)
      showToast({ title: t('account.updated') })
    } catch (error) {
      if (factor.isAsked(error)) return
      if (isWrongPassword(error)) setError('currentPassword', { message: 'account.rules.wrongPassword' })
      showToast({
        title: t('account.updateFailed'),
        description: reasonOr(error, t('account.updateFailedText')),
        tone: 'destructive',
      })
    }
  }

  return (
    <FormPart title={t('account.details')} intro={t('account.detailsIntro')}>
      <Form ref={frame} tabIndex={-1} noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
        <FieldPair>
          <Field label={t('auth.firstName')} error={wordsOf(errors.firstName)}>
            {(control) => <Input {...control} {...register('firstName')} autoComplete="given-name" />}
          </Field>
          <Field label={t('auth.lastName')} error={wordsOf(errors.lastName)}>
            {(control) => <Input {...control} {...register('lastName')} autoComplete="family-name" />}
          </Field>
        </FieldPair>
        <Field label={t('auth.email')} error={wordsOf(errors.email)} help={isNewEmail && t('account.newEmailHelp')}>
          {(control) => <Input {...control} {...register('email')} type="email" autoComplete="email" />}
        </Field>
        {isNewEmail && person.hasPassword === false && (
          <PasswordFirst role="status">
            <p>{t('account.emailNeedsPassword')}</p>
            <FirstPassword person={person} />
          </PasswordFirst>
        )}
        {isNewEmail && person.hasPassword !== false && (
          <PasswordField
            label={t('account.currentPassword')}
            error={wordsOf(errors.currentPassword)}
            help={person.hasPassword === null && t('account.noPassword')}
            autoComplete="current-password"
            {...register('currentPassword')}
          />
        )}
        {isNewEmail && factor.field}
        <Field label={t('account.address')} error={wordsOf(errors.address)} help={t('account.addressHelp')}>
          {(control) => <TextArea {...control} {...register('address')} rows={3} autoComplete="street-address" />}
        </Field>
        {mailedTo !== null && (
          <Notice role="status">
            <NoticeTitle>{t('account.mailSent')}</NoticeTitle>
            <p>{t('account.mailSentText', { address: mailedTo, current: person.email })}</p>
          </Notice>
        )}
        <div>
          <Button
            ref={save}
            type="submit"
            busy={isSubmitting}
            busyLabel={t('account.saving')}
            disabled={!isDirty || (isNewEmail && person.hasPassword === false)}
          >
            {t('account.save')}
          </Button>
        </div>
      </Form>
    </FormPart>
  )
}

function valuesOf({ firstName, lastName, email, address }: CurrentUser) {
  return {
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    email,
    address: address ?? '',
    currentPassword: '',
  }
}

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
  &:focus { outline: none; }
`

const Notice = styled.div`
  padding: ${space(1)} 0 ${space(1)} ${space(4)};
  border-left: 2px solid ${color.ok};
`

const PasswordFirst = styled.div`
  display: grid;
  gap: ${space(3)};
  padding: ${space(1)} 0 ${space(1)} ${space(4)};
  border-left: 2px solid ${color.accent};
`

const NoticeTitle = styled.p`
  color: ${color.ok};
  font-weight: ${weight.strong};
`
