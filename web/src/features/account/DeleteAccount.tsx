import { zodResolver } from '@hookform/resolvers/zod'
import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import type { z } from 'zod'
import { isApiError } from '../../api/api-error.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { reasonOr } from '../../profile/reasons.ts'
import { useSession } from '../../session/use-session.ts'
import { color, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormPart } from '../../ui/FormPart.tsx'
import { Input } from '../../ui/Input.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { deletionForm } from './account-forms.ts'
import { closeAccount } from './api.ts'

/** The end of an account: what it means, and the way there. */
export function DeleteAccount({ person }: { person: CurrentUser }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  return (
    <FormPart title={t('account.delete')} intro={t('account.deleteIntro')}>
      <Consequences />
      <div>
        <Button tone="danger" onClick={() => setOpen(true)}>
          {t('account.deleteAction')}
        </Button>
      </div>
      {isOpen && <DeletionDialog person={person} onClose={() => setOpen(false)} />}
    </FormPart>
  )
}

function Consequences() {
  const { t } = useTranslation()
  return (
    <List>
      <li>{t('account.deleteAtOnce')}</li>
      <li>{t('account.deleteListings')}</li>
      <li>{t('account.deleteLater')}</li>
      <li>{t('account.deleteKept')}</li>
      <li>{t('account.deleteUndo')}</li>
    </List>
  )
}

function DeletionDialog({ person, onClose }: { person: CurrentUser; onClose: () => void }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const session = useSession()
  const navigate = useNavigate()
  const [failure, setFailure] = useState<string | null>(null)
  const { register, handleSubmit, formState, setError, setFocus } = useForm({
    resolver: zodResolver(deletionForm(person.username)),
    defaultValues: { typedUsername: '', currentPassword: '' },
  })
  const { errors, isSubmitting } = formState

  const submit = async ({ currentPassword }: z.infer<ReturnType<typeof deletionForm>>) => {
    setFailure(null)
    try {
      await closeAccount(person.id, currentPassword)
    } catch (error) {
      if (isApiError(error, 'wrong-password')) {
        setError('currentPassword', {
          message: currentPassword ? 'account.rules.wrongPassword' : 'account.rules.currentPassword',
        })
        setFocus('currentPassword')
      } else setFailure(reasonOr(error, t('account.deleteFailed')))
      return
    }
    void session.signOut()
    showToast({ title: t('account.deleted'), description: t('account.deletedText') })
    void navigate(paths.home())
  }

  return (
    <Dialog
      title={t('account.deleteQuestion')}
      intro={t(person.hasPassword === false ? 'account.deleteFinalNoPassword' : 'account.deleteFinal')}
      closeLabel={t('account.close')}
      isBusy={isSubmitting}
      onClose={onClose}
    >
      <Form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
        <Field
          label={t('account.typeUsername', { username: person.username })}
          error={errors.typedUsername && t('account.rules.typedUsername', { username: person.username })}
        >
          {(control) => (
            <Input
              {...control}
              {...register('typedUsername')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
        {person.hasPassword === false ? (
          <Hint>{t('account.deleteBySignIn')}</Hint>
        ) : (
          <PasswordField
            label={t('account.currentPassword')}
            error={wordsOf(errors.currentPassword)}
            help={person.hasPassword === null && t('account.deleteNoPassword')}
            autoComplete="current-password"
            {...register('currentPassword')}
          />
        )}
        {failure && <Failure role="alert">{failure}</Failure>}
        <DialogActions>
          <Button tone="plain" disabled={isSubmitting} onClick={onClose}>
            {t('account.keep')}
          </Button>
          <Button type="submit" tone="danger" busy={isSubmitting} busyLabel={t('account.deleting')}>
            {t('account.deleteAction')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

const List = styled.ul`
  display: grid;
  gap: ${space(2)};
  padding-left: ${space(5)};
  list-style: disc;
  li::marker { color: ${color.muted}; }
`

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
  margin-top: ${space(6)};
`

const Hint = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`

const Failure = styled.p`
  color: ${color.live};
  font-size: ${text.small};
`
