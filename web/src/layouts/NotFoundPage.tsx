import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { ButtonRow } from '../ui/ButtonRow.tsx'
import { EmptyBottle } from '../ui/EmptyBottle.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** Where no page is. */
export default function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <>
      <title>{`${t('notFound.title')} · ${t('shell.brand')}`}</title>
      <EmptyState
        heading="h1"
        icon={<EmptyBottle />}
        title={t('notFound.title')}
        action={
          <ButtonRow>
            <ButtonLink to={paths.home()}>{t('problem.home')}</ButtonLink>
            <ButtonLink tone="secondary" to={paths.products()}>
              {t('notFound.browse')}
            </ButtonLink>
          </ButtonRow>
        }
      >
        {t('notFound.text')}
      </EmptyState>
    </>
  )
}
