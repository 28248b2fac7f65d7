import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { track } from '../../lib/analytics.ts'
import { readStored, writeStored } from '../../lib/browser-storage.ts'
import { forgetLanding, landingAt } from '../../lib/landing.ts'
import { safeRedirect } from '../../lib/safe-redirect.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { isHalfIn } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { Outcome, Waiting } from './Outcome.tsx'
import { returnKey } from './return-to.ts'
import { finishSocialSignIn, type SocialFailure } from './social-sign-in.ts'

type Stage = 'processing' | 'syncing' | SocialFailure

/** Coming back from Facebook. */
export default function AuthCallbackPage() {
  const { t } = useTranslation()
  const session = useSession()
  const navigate = useNavigate()
  const [stage, setStage] = useState<Stage>('processing')
  const hasBegun = useRef(false)

  useEffect(() => {
    // What came in the address works once.
    if (hasBegun.current) return
    hasBegun.current = true
    const landing = landingAt(paths.authCallback())
    forgetLanding()
    void finishSocialSignIn(landing, session, () => setStage('syncing')).then((failure) => {
      const redirect = safeRedirect(readStored('sessionStorage', returnKey), window.location.origin)
      if (isHalfIn(session.state())) {
        void navigate(paths.auth({ redirect: redirect ?? undefined }), { replace: true })
        return
      }
      if (failure) {
        setStage(failure)
        return
      }
      track('login', { method: 'facebook' })
      showToast({ title: t('authCallback.signedIn') })
      writeStored('sessionStorage', returnKey, null)
      void navigate(redirect ?? paths.home(), { replace: true })
    })
  }, [session, navigate, t])

  const title = <title>{`${t('authCallback.pageTitle')} · ${t('shell.brand')}`}</title>
  if (typeof stage === 'string') {
    return (
      <>
        {title}
        <Waiting title={t('authCallback.pageTitle')}>{t(`authCallback.${stage}`)}</Waiting>
      </>
    )
  }
  return (
    <>
      {title}
      <Outcome
        tone="live"
        title={t('authCallback.errorTitle')}
        action={<ButtonLink to={paths.auth()}>{t('authCallback.backToLogin')}</ButtonLink>}
      >
        {t(`authCallback.${stage.kind}`, { reason: stage.reason })}
      </Outcome>
    </>
  )
}
