import { useTranslation } from 'react-i18next'
import { paths } from '../paths.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { EmptyBottle } from '../ui/EmptyBottle.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** Where no page is. */
export default function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <>
      <title>{`${t('problem.notFoundTitle')} · ${t('shell.brand')}`}</title>
      <EmptyState
        heading="h1"
        icon={<EmptyBottle />}
        title={t('problem.notFoundTitle')}
        action={<ButtonLink to={paths.home()}>{t('problem.home')}</ButtonLink>}
      >
        {t('problem.notFoundText')}
      </EmptyState>
    </>
  )
}
