import { useEffect } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { Button, ButtonLink } from '../ui/Button.tsx'
import { ButtonRow } from '../ui/ButtonRow.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** In place of a page that could not be loaded or drawn, with a way back. It is tried again when the network comes back. */
export function CrashMessage({ error, resetErrorBoundary }: { error: unknown; resetErrorBoundary: () => void }) {
  const { t } = useTranslation()
  const isLoad = error instanceof ApiError
  // Of a page whose files cannot come nothing is broken.
  const unanswered = isLoad ? error : navigator.onLine ? null : new ApiError(0, '')
  const title = t(unanswered ? 'problem.loadTitle' : 'problem.crashTitle')
  // What is missing may be a file of a version that is gone: only a new page has the new names.
  const again = isLoad ? resetErrorBoundary : reload
  useEffect(() => {
    // What had the focus is gone with the page.
    document.getElementById('content')?.focus()
    window.addEventListener('online', again)
    return () => window.removeEventListener('online', again)
  }, [again])
  return (
    <>
      <title>{`${title} · ${t('shell.brand')}`}</title>
      <EmptyState
        heading="h1"
        title={title}
        action={
          <ButtonRow>
            <Button onClick={again}>{t('problem.tryAgain')}</Button>
            <ButtonLink to={paths.home()} tone="secondary">
              {t('problem.home')}
            </ButtonLink>
          </ButtonRow>
        }
      >
        {unanswered?.shown ?? t('problem.crashText')}
      </EmptyState>
    </>
  )
}

const reload = () => window.location.reload()
