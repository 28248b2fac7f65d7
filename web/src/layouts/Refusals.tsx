import type { ReactNode } from 'react'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { useCurrentUser } from '../session/use-current-user.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { ButtonRow } from '../ui/ButtonRow.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** In place of a page for sellers. */
export function SellerRefusal() {
  const { t } = useTranslation()
  const ask = (
    <ButtonLink tone="secondary" to={`mailto:${t('footer.email')}`}>
      {t('refusal.askToSell')}
    </ButtonLink>
  )
  return (
    <Refusal title={t('refusal.sellerTitle')} more={ask}>
      {t('refusal.sellerText')}
    </Refusal>
  )
}

/** In place of a page for administrators. One who must have a second factor is told what is missing. */
export function AdminRefusal() {
  const { t } = useTranslation()
  const { data } = useCurrentUser()
  if (!data?.needsSecondFactor) return <Refusal title={t('refusal.adminTitle')}>{t('refusal.adminText')}</Refusal>
  const toSettings = <ButtonLink to={paths.account('settings')}>{t('refusal.factorAction')}</ButtonLink>
  return (
    <EmptyState heading="h1" title={t('refusal.adminTitle')} action={toSettings}>
      {t('refusal.factorText')}
    </EmptyState>
  )
}

function Refusal({ title, children, more }: { title: string; children: ReactNode; more?: ReactNode }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      heading="h1"
      title={title}
      action={
        <ButtonRow>
          <ButtonLink to={paths.home()}>{t('problem.home')}</ButtonLink>
          {more}
        </ButtonRow>
      }
    >
      {children}
    </EmptyState>
  )
}
