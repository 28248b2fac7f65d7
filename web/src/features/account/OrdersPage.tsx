import { Package } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'

/** What somebody has bought. Nothing can be bought yet, so that it is empty for everybody. */
export default function OrdersPage() {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon={<Package size={32} strokeWidth={1.5} />}
      title={t('account.noOrders')}
      action={<ButtonLink to={paths.products()}>{t('account.browse')}</ButtonLink>}
    >
      {t('account.noOrdersText')}
    </EmptyState>
  )
}
