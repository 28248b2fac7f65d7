import { useEffect, useState } from 'react'
import { styled } from 'styled-components'
import { writeStored } from '../../lib/browser-storage.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useSession } from '../../session/use-session.ts'
import { color, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { rememberBegun } from './begun.ts'
import { returnKey } from './return-to.ts'

/** Signing in at Facebook, which leads back to `/auth-callback` and from there to `redirect`. */
export function FacebookButton({ redirect }: { redirect: string | null }) {
  const { t } = useTranslation()
  const session = useSession()
  const isConfigured = useIsConfigured()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    // Whoever comes back by the back button finds the page as it was left.
    const stopBeingBusy = () => setBusy(false)
    window.addEventListener('pageshow', stopBeingBusy)
    return () => window.removeEventListener('pageshow', stopBeingBusy)
  }, [])

  const leave = async () => {
    setBusy(true)
    try {
      const url = await (await session.provider()).facebookUrl()
      writeStored('sessionStorage', returnKey, redirect)
      rememberBegun('social')
      window.location.assign(url)
    } catch {
      setBusy(false)
      showToast({ title: t('auth.facebookFailed'), description: t('auth.facebookFailedText'), tone: 'destructive' })
    }
  }

  return (
    <Frame>
      <Or aria-hidden>{t('auth.or')}</Or>
      <Button
        tone="secondary"
        wide
        busy={isBusy}
        busyLabel={t('auth.connecting')}
        disabled={!isConfigured}
        onClick={() => void leave()}
      >
        <Mark viewBox="0 0 24 24" aria-hidden>
          <path d="M13.6 21v-8.1h2.8l.4-3.2h-3.2V7.7c0-.9.3-1.6 1.6-1.6h1.7V3.2A23 23 0 0 0 14.4 3c-2.5 0-4.1 1.5-4.1 4.2v2.5H7.5v3.2h2.8V21z" />
        </Mark>
        {isConfigured ? t('auth.facebook') : t('auth.facebookMissing')}
      </Button>
    </Frame>
  )
}

/** Unless the provider says that it is not: without an answer it is worth a try. */
function useIsConfigured(): boolean {
  const session = useSession()
  const [isConfigured, setConfigured] = useState(true)
  useEffect(() => {
    let isCurrent = true
    session
      .provider()
      .then((provider) => provider.isFacebookConfigured())
      .then(
        (answer) => isCurrent && setConfigured(answer),
        () => {},
      )
    return () => {
      isCurrent = false
    }
  }, [session])
  return isConfigured
}

const Frame = styled.div`
  display: grid;
  gap: ${space(5)};
`

const Or = styled.div`
  display: flex;
  gap: ${space(3)};
  align-items: center;
  color: ${color.muted};
  font-size: ${text.small};
  &::before, &::after { flex: 1; height: 1px; background: ${color.line}; content: ''; }
`

const Mark = styled.svg`
  flex: none;
  width: ${space(5)};
  height: ${space(5)};
  fill: currentColor;
`
