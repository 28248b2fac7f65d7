import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useFactorField } from '../../profile/use-factor-field.tsx'
import type { PasswordReset } from '../../session/auth-provider.ts'
import { useSession } from '../../session/use-session.ts'
import { color, radius, space, text, weight, width } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Page, PageIntro, PageTitle } from '../../ui/Page.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { AuthForm } from './AuthForm.tsx'
import { forgetKeptLanding, keptLandingAt } from './kept-landing.ts'
import {
  accountOf,
  failureOf,
  openReset,
  type Proof,
  proofOf,
  proofOfCode,
  type ResetFailure,
  refusalOf,
} from './password-reset.ts'
import { NewPassword } from './schemas.ts'

/** Choosing a new password, with the link from a mail. */
export default function ResetPasswordPage() {
  const { t } = useTranslation()
  const [landing] = useState(() => keptLandingAt(paths.resetPassword()))
  const { state } = useLocation()
  const [proof] = useState(() => proofOf(landing) ?? proofOfCode(state))
  const { reset, isActive, isClosed, failure } = useReset(proof)
  const refusal = refusalOf(landing)
  const sayFailure = useFailureWords()
  const problem = failure ?? (refusal && !proof ? ({ kind: 'failed', message: refusal } as const) : null)
  const account = accountOf(proof)
  const hasHash = landing.hash.size > 0
  return (
    <Page>
      <title>{`${t('resetPassword.title')} · ${t('shell.brand')}`}</title>
      <Column>
        <div>
          <PageTitle>{t('resetPassword.title')}</PageTitle>
          <PageIntro>{t('resetPassword.intro')}</PageIntro>
          {account && <PageIntro>{t('resetPassword.account', { email: account })}</PageIntro>}
        </div>
        {(problem || !proof) && (
          <Problem role="alert">
            <p>{problem ? sayFailure(problem) : t('resetPassword.missing')}</p>
            <Link to={paths.auth()}>{t('resetPassword.requestNew')}</Link>
          </Problem>
        )}
        <ResetForm reset={reset} isPossible={proof !== null && !isClosed} />
        <Debug aria-label={t('resetPassword.debug')}>
          <DebugTitle>{t('resetPassword.debug')}</DebugTitle>
          <Facts
            facts={[
              {
                label: t('resetPassword.sessionStatus'),
                value: t(`resetPassword.session.${statusOf(proof, isActive, isClosed)}`),
              },
              { label: t('resetPassword.tokenType'), value: t(`resetPassword.token.${proof?.kind ?? 'none'}`) },
              {
                label: t('resetPassword.hashPresent'),
                value: hasHash ? t('resetPassword.yes') : t('resetPassword.no'),
              },
            ]}
          />
        </Debug>
      </Column>
    </Page>
  )
}

function statusOf(proof: Proof | null, isActive: boolean, isClosed: boolean) {
  if (!proof || isClosed) return 'none'
  if (isActive) return 'active'
  return proof.kind === 'code' ? 'opening' : 'later'
}

/** Opens the reset when the page opens, because a code does not live long. */
function useReset(proof: Proof | null) {
  const session = useSession()
  const opened = useRef<Promise<PasswordReset> | null>(null)
  const [isActive, setActive] = useState(false)
  const [failure, setFailure] = useState<ResetFailure | null>(null)
  const reset = () => {
    if (!proof) throw new Error('There is nothing to reset a password with')
    opened.current ??= openReset(proof, session).catch((error: unknown) => {
      opened.current = null
      throw error
    })
    return opened.current
  }
  const hasBegun = useRef(false)
  useEffect(() => {
    if (proof?.kind !== 'code' || hasBegun.current) return
    hasBegun.current = true
    opened.current = openReset(proof, session)
    opened.current.then(
      () => {
        // A code opens it once.
        forgetKeptLanding()
        setActive(true)
      },
      (error: unknown) => setFailure(failureOf(error)),
    )
  }, [proof, session])
  return { reset, isActive, isClosed: failure !== null, failure }
}

function useFailureWords(): (failure: ResetFailure) => string {
  const { t } = useTranslation()
  return (failure) => {
    switch (failure.kind) {
      case 'password':
        return failure.message
      case 'failed':
        return t('resetPassword.failed', { message: failure.message })
      default:
        return t(`resetPassword.${failure.kind}`)
    }
  }
}

function ResetForm({ reset, isPossible }: { reset: () => Promise<PasswordReset>; isPossible: boolean }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const sayFailure = useFailureWords()
  const session = useSession()
  const navigate = useNavigate()
  const { register, handleSubmit, formState, setError } = useForm({
    resolver: zodResolver(NewPassword),
    defaultValues: { password: '', confirmPassword: '' },
  })
  const { errors, isSubmitting } = formState
  const fields = { password: register('password'), confirmPassword: register('confirmPassword') }
  const factor = useFactorField()

  const submit = async ({ password }: { password: string }) => {
    let hasSessionEnded: boolean
    try {
      hasSessionEnded = await (await reset()).setPassword(password, factor.typed())
    } catch (error) {
      if (factor.isAsked(error)) return
      const failure = failureOf(error)
      if (failure.kind === 'password') setError('password', { message: failure.message }, { shouldFocus: true })
      showToast({ title: t('resetPassword.failedTitle'), description: sayFailure(failure), tone: 'destructive' })
      return
    }
    forgetKeptLanding()
    // All sessions have ended with the old password, so that this one had better say so at once, unless somebody else's link was opened.
    if (hasSessionEnded) await session.signOut()
    showToast({ title: t('resetPassword.success'), description: t('resetPassword.successText') })
    void navigate(paths.auth(), { replace: true })
  }

  return (
    <AuthForm noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <PasswordField
        label={t('resetPassword.newPassword')}
        help={t('auth.passwordHelp')}
        error={wordsOf(errors.password)}
        autoComplete="new-password"
        {...fields.password}
      />
      <PasswordField
        label={t('resetPassword.confirmPassword')}
        error={wordsOf(errors.confirmPassword)}
        autoComplete="new-password"
        {...fields.confirmPassword}
      />
      {factor.field}
      <Button type="submit" wide disabled={!isPossible} busy={isSubmitting} busyLabel={t('resetPassword.submitting')}>
        {t('resetPassword.submit')}
      </Button>
    </AuthForm>
  )
}

const Column = styled.div`
  display: grid;
  gap: ${space(8)};
  max-width: ${width.form};
  margin: 0 auto;
`

const Problem = styled.div`
  display: grid;
  gap: ${space(2)};
  justify-items: start;
  padding: ${space(4)} ${space(5)};
  border: 1px solid ${color.line};
  border-left: 3px solid ${color.live};
  border-radius: ${radius.small};
  background: ${color.surface};
  p { color: ${color.live}; }
  a { color: ${color.accent}; }
`

const Debug = styled.section`
  padding: ${space(4)} ${space(5)};
  border: 1px dashed ${color.line};
  border-radius: ${radius.small};
  font-size: ${text.small};
`

const DebugTitle = styled.h2`
  padding-bottom: ${space(2)};
  font-family: inherit;
  font-size: ${text.small};
  font-weight: ${weight.strong};
  letter-spacing: 0;
`
