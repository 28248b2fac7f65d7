import type { ReactNode } from 'react'
import { useTranslation } from '../lib/use-translation.ts'
import { Button } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'

/** In place of what could not be loaded, with the way to try again. `children` say why. */
export function LoadFailure({
  heading = 'h2',
  tone = 'primary',
  onRetry,
  children,
}: {
  heading?: 'h1' | 'h2' | 'h3'
  tone?: 'primary' | 'secondary'
  onRetry: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <EmptyState
      heading={heading}
      title={t('problem.loadTitle')}
      action={
        <Button tone={tone} onClick={onRetry}>
          {t('problem.tryAgain')}
        </Button>
      }
    >
      {children}
    </EmptyState>
  )
}
