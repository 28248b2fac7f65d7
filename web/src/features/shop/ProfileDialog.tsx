import { zodResolver } from '@hookform/resolvers/zod'
import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { useForm } from 'react-hook-form'
import { styled } from 'styled-components'
import type { z } from 'zod'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useUpdateUser } from '../../profile/api.ts'
import { changedFields } from '../../profile/changed-fields.ts'
import { PersonLoader } from '../../profile/PersonLoader.tsx'
import { reasonOr } from '../../profile/reasons.ts'
import { UnsavedProfile } from '../../profile/UnsavedProfile.tsx'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { PublicProfile } from './shop-form.ts'

/** Changes what everybody reads about the signed-in person. */
export function ProfileDialog({ onClose }: { onClose: () => void }) {
  return <PersonLoader>{(person) => <ProfileForm person={person} onClose={onClose} />}</PersonLoader>
}

function ProfileForm({ person, onClose }: { person: CurrentUser; onClose: () => void }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const updateUser = useUpdateUser(person.id)
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(PublicProfile),
    // They may be read again, and changed on another device since.
    values: { shopName: person.shopName ?? '', location: person.location ?? '', bio: person.bio ?? '' },
    resetOptions: { keepDirty: true, keepDirtyValues: true },
  })
  const { errors, isSubmitting, isDirty, dirtyFields } = formState

  const submit = async (profile: z.infer<typeof PublicProfile>) => {
    try {
      await updateUser(changedFields(profile, dirtyFields))
      showToast({ title: t('account.updated') })
      onClose()
    } catch (error) {
      showToast({
        title: t('profile.failed'),
        description: reasonOr(error, t('profile.failedText')),
        tone: 'destructive',
      })
    }
  }

  return (
    <Dialog title={t('profile.edit')} closeLabel={t('account.close')} isBusy={isSubmitting} onClose={onClose}>
      <Form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
        <Field label={t('profile.shopName')} error={wordsOf(errors.shopName)}>
          {(control) => <Input {...control} {...register('shopName')} autoComplete="organization" />}
        </Field>
        <Field label={t('profile.location')} error={wordsOf(errors.location)} help={t('profile.locationHelp')}>
          {(control) => <Input {...control} {...register('location')} autoComplete="address-level2" />}
        </Field>
        <Field label={t('profile.bio')} error={wordsOf(errors.bio)} help={t('profile.bioHelp')}>
          {(control) => <TextArea {...control} {...register('bio')} rows={6} />}
        </Field>
        <DialogActions>
          <Button tone="plain" disabled={isSubmitting} onClick={onClose}>
            {t('account.cancel')}
          </Button>
          <Button type="submit" busy={isSubmitting} busyLabel={t('account.saving')}>
            {t('account.save')}
          </Button>
        </DialogActions>
      </Form>
      {/* Whoever goes back on a phone mostly wants to leave the dialog, and would leave the page. */}
      {isDirty && <UnsavedProfile />}
    </Dialog>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
  margin-top: ${space(6)};
`
