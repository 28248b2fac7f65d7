import { useEffect, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import type { SessionState } from '../session/session.ts'
import { useSessionState } from '../session/use-session.ts'
import { Spinner } from '../ui/Spinner.tsx'
import { showToast } from '../ui/toast-store.ts'
import { AdminRefusal, SellerRefusal } from './Refusals.tsx'

/** Those that show more than a spinner before it is known who looks, which comes with the page before its script (`vite-prerender.ts`). */
const framed: readonly string[] = [paths.messages()]

/** The pages below are for who is signed in, and those under /seller and /admin for sellers and administrators. */
export default function GuardedPage() {
  const { t } = useTranslation()
  const session = useSessionState()
  const { pathname, search, hash } = useLocation()
  const wasIn = useWasSignedIn(session.status)
  if (session.status === 'loading')
    return framed.includes(pathname) ? <Outlet /> : <Spinner label={t('shell.loading')} />
  if (session.status === 'signed-out') {
    // Whoever has just left does not want to be asked to come back.
    if (wasIn && session.hasLeft) return <Navigate to={paths.home()} replace />
    return (
      <ToSignIn
        from={`${pathname}${search}${hash}`}
        hasEnded={wasIn}
        isTold={!wasIn && pathname === paths.messages()}
      />
    )
  }
  if (pathname.includes('admin') && !session.user.isAdmin) {
    return <AdminRefusal />
  }
  if (pathname.includes('seller') && !session.user.isSeller) {
    return <SellerRefusal />
  }
  // Another person is another page: nothing of the first stays in a form.
  return <Outlet key={session.user.id} />
}

/** Whether this page was open already when its owner was signed out. */
function useWasSignedIn(status: SessionState['status']): boolean {
  const [wasIn, setWasIn] = useState(false)
  if (status === 'signed-in' && !wasIn) setWasIn(true)
  return wasIn
}

/**
 * To the sign-in page and from there back to `from`; `isTold` says why in a toast. Of a session that has ended by itself that page says so,
 * since a toast may have to say more.
 */
function ToSignIn({ from, hasEnded, isTold }: { from: string; hasEnded: boolean; isTold: boolean }) {
  const { t } = useTranslation()
  useEffect(() => {
    if (isTold) showToast({ title: t('refusal.signInTitle'), description: t('refusal.signInMessages') })
  }, [isTold, t])
  return <Navigate to={paths.auth({ redirect: from })} state={hasEnded ? { hasEnded } : undefined} replace />
}
