import { useEffect } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { Button, ButtonLink } from '../ui/Button.tsx'
import { ButtonRow } from '../ui/ButtonRow.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** In place of a page that could not be loaded or drawn, with a way back. */
export function CrashMessage({ error, resetErrorBoundary }: { error: unknown; resetErrorBoundary: () => void }) {
  const { t } = useTranslation()
  const isLoad = error instanceof ApiError
  const title = isLoad ? t('problem.loadTitle') : t('problem.crashTitle')
  // What had the focus is gone with the page.
  useEffect(() => document.getElementById('content')?.focus(), [])
  return (
    <>
      <title>{`${title} · ${t('shell.brand')}`}</title>
      <EmptyState
        heading="h1"
        title={title}
        action={
          // What is missing may be a file of a version that is gone: only a new page has the new names.
          <ButtonRow>
            <Button onClick={isLoad ? resetErrorBoundary : () => window.location.reload()}>
              {t('problem.tryAgain')}
            </Button>
            <ButtonLink to={paths.home()} tone="secondary">
              {t('problem.home')}
            </ButtonLink>
          </ButtonRow>
        }
      >
        {isLoad ? error.shown : t('problem.crashText')}
      </EmptyState>
    </>
  )
}
