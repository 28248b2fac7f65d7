import { Suspense, useEffect, useRef, useState } from 'react'
import { ErrorBoundary } from 'react-error-boundary'
import { Outlet, useLocation, useNavigationType } from 'react-router-dom'
import { styled } from 'styled-components'
import { trackPageView } from '../lib/analytics.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { useScrollMemory } from '../lib/use-scroll-memory.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useSessionState } from '../session/use-session.ts'
import { color, layer, radius, space, weight } from '../theme/theme.ts'
import { Spinner } from '../ui/Spinner.tsx'
import { CrashMessage } from './CrashMessage.tsx'
import { Footer } from './Footer.tsx'
import { Header } from './Header.tsx'

/** Loaded once the page is on screen, so that it is there to say so when the network goes away. */
const Toaster = lazyPart(async () => (await import('../ui/Toaster.tsx')).Toaster)

/** By then a first page has all that it needs. */
const settledMs = 2_000

const LaterParts = lazyPart(async () => {
  await new Promise((settled) => setTimeout(settled, settledMs))
  return (await import('./LaterParts.tsx')).LaterParts
})

/** What is around every page: skip link, header, footer and toasts. */
export function RootLayout() {
  const { t } = useTranslation()
  const { pathname, search } = useLocation()
  const main = useArrival()
  const [isOnScreen, setOnScreen] = useState(false)
  useEffect(() => setOnScreen(true), [])
  return (
    <>
      <SkipLink href="#content">{t('shell.skip')}</SkipLink>
      <Header />
      {isOnScreen && (
        <Suspense fallback={null}>
          <LaterParts />
        </Suspense>
      )}
      <Main id="content" ref={main} tabIndex={-1}>
        <ErrorBoundary FallbackComponent={CrashMessage} resetKeys={[pathname, search]}>
          <Suspense fallback={<Spinner label={t('shell.loading')} />}>
            <Outlet />
            <RepeatsEarlyPress />
          </Suspense>
        </ErrorBoundary>
      </Main>
      <Footer />
      {isOnScreen && (
        <Suspense fallback={null}>
          <Toaster closeLabel={t('shell.closeToast')} regionLabel={t('shell.notifications')} page={pathname} />
        </Suspense>
      )}
    </>
  )
}

/** Beside the page, so that all of that has been taken over; and once it is known who presses, for a guest is asked to sign in first. */
function RepeatsEarlyPress() {
  const isKnown = useSessionState().status !== 'loading'
  useEffect(() => {
    // A press has a turn of its own: while effects run, nothing can be shown at once.
    if (isKnown) setTimeout(() => window.earlyPress?.repeat())
  }, [isKnown])
  return null
}

/** Arriving at another page: at its top, with the focus there, and counted once. */
function useArrival() {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const kind = useNavigationType()
  useScrollMemory(main)
  const lastPath = useRef<string | null>(null)
  useEffect(() => {
    if (lastPath.current === pathname) return
    const isFirst = lastPath.current === null
    lastPath.current = pathname
    trackPageView()
    if (isFirst || kind === 'POP') return
    window.scrollTo(0, 0)
    main.current?.focus({ preventScroll: true })
  }, [pathname, kind])
  return main
}

const SkipLink = styled.a`
  position: absolute;
  z-index: ${layer.toast};
  top: ${space(2)};
  left: ${space(2)};
  padding: ${space(3)} ${space(4)};
  border-radius: ${radius.small};
  background: ${color.accent};
  color: ${color.onAccent};
  font-weight: ${weight.strong};
  text-decoration: none;
  &:not(:focus) { transform: translateY(-200%); }
`

/** The footer begins below the first screen, so that nothing visible moves when a page arrives. */
const Main = styled.main`
  flex: 1 0 auto;
  width: 100%;
  min-height: 100dvh;
`
