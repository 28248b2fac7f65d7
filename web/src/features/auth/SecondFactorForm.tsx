import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { styled } from 'styled-components'
import { track } from '../../lib/analytics.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useSession } from '../../session/use-session.ts'
import { color, space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeInput } from '../../ui/CodeInput.tsx'
import { Field } from '../../ui/Field.tsx'
import { AuthForm, TextButton } from './AuthForm.tsx'
import { isProviderError, reasonOf } from './reasons.ts'

/** The second step of signing in: a code beside the password. The page around it leads on when that worked. */
export function SecondFactorForm() {
  const { t } = useTranslation()
  const [kind, setKind] = useState<'app' | 'recovery'>('app')
  return (
    <Stack>
      <Intro>{t(kind === 'app' ? 'auth.factorIntro' : 'auth.recoveryIntro')}</Intro>
      {/* What was typed of one kind is nothing of the other. */}
      <CodeForm key={kind} kind={kind} onOther={() => setKind(kind === 'app' ? 'recovery' : 'app')} />
    </Stack>
  )
}

function CodeForm({ kind, onOther }: { kind: 'app' | 'recovery'; onOther: () => void }) {
  const { t } = useTranslation()
  const session = useSession()
  const { register, handleSubmit, formState, setError } = useForm({ defaultValues: { code: '' } })
  const { errors, isSubmitting } = formState
  const isApp = kind === 'app'
  const submit = async ({ code }: { code: string }) => {
    const isPossible = isApp ? /^(\s*\d){6}\s*$/.test(code) : code.trim() !== ''
    const wrong = t(isApp ? 'auth.factorWrong' : 'auth.recoveryWrong')
    try {
      if (isPossible) {
        await session.signInThrough((provider) => provider.secondFactors.show(code))
        track('login', { method: 'two_step' })
      } else setError('code', { message: t(isApp ? 'auth.factorRule' : 'auth.recoveryRule') }, { shouldFocus: true })
    } catch (error) {
      const message = isProviderError(error, 'mfa_verification_failed') ? wrong : reasonOf(error, t('auth.tryAgain'))
      setError('code', { message }, { shouldFocus: true })
    }
  }
  return (
    <AuthForm noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <Field label={t(isApp ? 'auth.code' : 'auth.recoveryCode')} error={errors.code?.message}>
        {(control) => (
          <CodeInput
            {...control}
            {...register('code')}
            autoFocus
            {...(isApp ? { inputMode: 'numeric', autoComplete: 'one-time-code' } : { autoComplete: 'off' })}
          />
        )}
      </Field>
      <Button type="submit" wide busy={isSubmitting} busyLabel={t('auth.signingIn')}>
        {t('auth.signIn')}
      </Button>
      <Links>
        <TextButton type="button" onClick={onOther}>
          {t(isApp ? 'auth.useRecovery' : 'auth.useApp')}
        </TextButton>
        <TextButton type="button" onClick={() => void session.signOut()}>
          {t('auth.otherAccount')}
        </TextButton>
      </Links>
    </AuthForm>
  )
}

const Stack = styled.div`
  display: grid;
  gap: ${space(6)};
`

const Intro = styled.p`
  color: ${color.muted};
`

const Links = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(6)};
  justify-content: space-between;
`
