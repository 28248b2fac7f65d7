import { useForm } from 'react-hook-form'
import { styled } from 'styled-components'
import { copy } from '../../lib/copy.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { reasonOr } from '../../profile/reasons.ts'
import { type NewApp, ProviderError } from '../../session/auth-provider.ts'
import { useSession } from '../../session/use-session.ts'
import { color, from, radius, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeInput } from '../../ui/CodeInput.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { showToast } from '../../ui/toast-store.ts'

/** Shows an app what it has to know, and takes its first code. `onDone` is called when it counts. */
export function SetUpApp({ app, onClose, onDone }: { app: NewApp; onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation()
  const session = useSession()
  const { register, handleSubmit, formState, setError } = useForm({ defaultValues: { code: '' } })
  const { errors, isSubmitting } = formState
  const submit = async ({ code }: { code: string }) => {
    if (!/^(\s*\d){6}\s*$/.test(code)) {
      setError('code', { message: t('account.factor.rule') }, { shouldFocus: true })
      return
    }
    try {
      await session.signInThrough((provider) => provider.secondFactors.confirm(app.id, code))
    } catch (error) {
      const isWrong = error instanceof ProviderError && error.code === 'mfa_verification_failed'
      const message = isWrong ? t('account.factor.wrong') : reasonOr(error, t('auth.tryAgain'))
      setError('code', { message }, { shouldFocus: true })
      return
    }
    onDone()
  }
  const copySecret = async () => {
    const isCopied = await copy(app.secret)
    showToast({ title: t(isCopied ? 'account.factor.copied' : 'account.factor.copyFailed') })
  }
  return (
    <Dialog
      title={t('account.factor.scanTitle')}
      intro={<p>{t('account.factor.scanIntro')}</p>}
      closeLabel={t('account.close')}
      isBusy={isSubmitting}
      onClose={onClose}
    >
      <Form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
        <Known>
          <Picture src={app.picture} alt={t('account.factor.picture')} width={200} height={200} />
          <div>
            <Quiet>{t('account.factor.secret')}</Quiet>
            <Secret>{(app.secret.match(/.{1,4}/g) ?? []).join(' ')}</Secret>
            <Button tone="secondary" size="small" onClick={() => void copySecret()}>
              {t('account.factor.copySecret')}
            </Button>
          </div>
        </Known>
        <Field label={t('account.factor.codeLabel')} error={errors.code?.message}>
          {(control) => (
            <CodeInput
              {...control}
              {...register('code')}
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={12}
            />
          )}
        </Field>
        <DialogActions>
          <Button tone="plain" disabled={isSubmitting} onClick={onClose}>
            {t('account.cancel')}
          </Button>
          <Button type="submit" busy={isSubmitting} busyLabel={t('account.factor.confirming')}>
            {t('account.factor.confirm')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
  margin-top: ${space(6)};
`

const Known = styled.div`
  display: grid;
  gap: ${space(5)};
  justify-items: center;
  ${from.tablet} { grid-template-columns: auto minmax(0, 1fr); justify-items: start; align-items: center; }
`

/** Dark on light in both schemes: not every camera reads it the other way round. */
const Picture = styled.img`
  border: 1px solid ${color.line};
  border-radius: ${radius.small};
  background: white;
`

const Quiet = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`

const Secret = styled.p`
  margin: ${space(2)} 0 ${space(3)};
  font-variant-numeric: tabular-nums;
  letter-spacing: 0.08em;
  overflow-wrap: anywhere;
  user-select: all;
`
