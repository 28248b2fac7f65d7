import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useSession } from '../../session/use-session.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { forgetKeptLanding, keptLandingAt } from './kept-landing.ts'
import { Outcome, Waiting } from './Outcome.tsx'
import { type Verification, verifyByLanding } from './verification.ts'

/** Long enough to read that it worked. */
const redirectAfterMs = 2000

/** Where the link in a mail leads. */
export default function VerifyEmailPage() {
  const { t } = useTranslation()
  const verification = useVerification()
  useRedirect(verification)
  return (
    <>
      <title>{`${t('verifyEmail.pageTitle')} · ${t('shell.brand')}`}</title>
      <Result verification={verification} />
    </>
  )
}

function Result({ verification }: { verification: Verification | null }) {
  const { t } = useTranslation()
  switch (verification?.outcome) {
    case undefined:
      return <Waiting title={t('verifyEmail.pageTitle')}>{t('verifyEmail.loading')}</Waiting>
    case 'signed-in':
    case 'requires-sign-in':
      return (
        <Outcome tone="ok" title={t('verifyEmail.success')}>
          {t('verifyEmail.redirecting')}
        </Outcome>
      )
    case 'failed':
      return (
        <Outcome
          tone="live"
          title={t('verifyEmail.failedTitle')}
          action={<ButtonLink to={paths.auth()}>{t('verifyEmail.toSignIn')}</ButtonLink>}
        >
          {'message' in verification ? verification.message : t(`verifyEmail.${verification.reason}`)}
        </Outcome>
      )
    default:
      return verification satisfies never
  }
}

function useVerification(): Verification | null {
  const session = useSession()
  const { pathname } = useLocation()
  const [verification, setVerification] = useState<Verification | null>(null)
  const hasBegun = useRef(false)
  useEffect(() => {
    // What came in the address works once.
    if (hasBegun.current) return
    hasBegun.current = true
    void verifyByLanding(keptLandingAt(pathname), session).then((answer) => {
      // Where nobody could be reached, a reload tries it again.
      if (!('reason' in answer && answer.reason === 'unable')) forgetKeptLanding()
      setVerification(answer)
    })
  }, [pathname, session])
  return verification
}

function useRedirect(verification: Verification | null): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (!verification || verification.outcome === 'failed') return
    const next = verification.outcome === 'signed-in' ? paths.home() : paths.auth({ verified: 'true' })
    const timer = setTimeout(() => void navigate(next, { replace: true }), redirectAfterMs)
    return () => clearTimeout(timer)
  }, [verification, navigate])
}
