import { useTranslation } from 'react-i18next'
import { ApiError, shownMessage } from '../api/api-error.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** In place of a page that could not be loaded or drawn. */
export function CrashMessage({ error, resetErrorBoundary }: { error: unknown; resetErrorBoundary: () => void }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      heading="h1"
      title={error instanceof ApiError ? t('problem.loadTitle') : t('problem.crashTitle')}
      action={<Button onClick={resetErrorBoundary}>{t('problem.tryAgain')}</Button>}
    >
      {error instanceof ApiError ? shownMessage(error) : t('problem.crashText')}
    </EmptyState>
  )
}
