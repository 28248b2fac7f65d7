import type { ReactNode } from 'react'
import { isApiError, shownMessage } from '../api/api-error.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { space } from '../theme/theme.ts'
import { LoadFailure } from '../ui/LoadFailure.tsx'
import { ReceiptPaper } from '../ui/Receipt.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

/** A receipt of an order that is on its way, has come, is not there, or could not be loaded. */
export function ReceiptLoader<Order>({
  query: { data, error, mutate },
  notFound,
  children,
}: {
  query: { readonly data?: Order | undefined; readonly error?: unknown; mutate(): Promise<unknown> }
  notFound: ReactNode
  children: (order: Order) => ReactNode
}) {
  const { t } = useTranslation()
  if (data !== undefined) return children(data)
  if (isApiError(error, 'order-not-found')) return notFound
  if (error) {
    return (
      <LoadFailure heading="h1" onRetry={() => void mutate()}>
        {shownMessage(error)}
      </LoadFailure>
    )
  }
  return (
    <ReceiptPaper role="status" aria-label={t('shell.loading')}>
      <Skeleton $width="40%" $height={space(9)} />
      <Skeleton $height={space(40)} />
      <Skeleton $height={space(24)} />
    </ReceiptPaper>
  )
}
