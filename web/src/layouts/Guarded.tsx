import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { paths } from '../paths.ts'
import { useSessionState } from '../session/use-session.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { showToast } from '../ui/toast-store.ts'

/** The pages below are for who is signed in, and those under /seller and /admin for sellers and administrators. */
export function Guarded() {
  const { t } = useTranslation()
  const session = useSessionState()
  const { pathname, search } = useLocation()
  if (session.status === 'loading') return <Spinner label={t('shell.loading')} />
  if (session.status === 'signed-out') {
    return <ToSignIn from={`${pathname}${search}`} />
  }
  if (pathname.includes('admin') && !session.user.isAdmin) {
    return <Refusal title={t('problem.adminTitle')}>{t('problem.adminText')}</Refusal>
  }
  if (pathname.includes('seller') && !session.user.isSeller) {
    return <Refusal title={t('problem.sellerTitle')}>{t('problem.sellerText')}</Refusal>
  }
  return <Outlet />
}

function ToSignIn({ from }: { from: string }) {
  const { t } = useTranslation()
  const isForMessages = from === paths.messages()
  useEffect(() => {
    if (isForMessages) showToast({ title: t('messages.requiredTitle'), description: t('messages.requiredText') })
  }, [isForMessages, t])
  return <Navigate to={paths.auth({ redirect: from })} replace />
}

function Refusal({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <EmptyState heading="h1" title={title} action={<ButtonLink to={paths.home()}>{t('problem.home')}</ButtonLink>}>
      {children}
    </EmptyState>
  )
}
