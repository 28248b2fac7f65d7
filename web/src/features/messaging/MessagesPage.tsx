import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Page, PageTitle } from '../../ui/Page.tsx'

/** The conversations of the signed-in person. */
export default function MessagesPage() {
  const { t } = useTranslation()
  return (
    <Page>
      <title>{`${t('messages.pageTitle')} · ${t('shell.brand')}`}</title>
      <PageTitle>{t('messages.title')}</PageTitle>
      <EmptyState
        title={t('messages.emptyTitle')}
        action={<ButtonLink to={paths.home()}>{t('messages.emptyAction')}</ButtonLink>}
      >
        {t('messages.emptyText')}
      </EmptyState>
    </Page>
  )
}
