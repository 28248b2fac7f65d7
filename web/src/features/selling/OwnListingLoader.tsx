import { type ReactNode, useEffect } from 'react'
import { useParams } from 'react-router-dom'
import { isApiError, shownMessage } from '../../api/api-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Page } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { type OwnListing, useOwnListing } from './api.ts'

export interface Loaded extends OwnListing {
  readonly sellerId: number
  readonly reload: () => void
}

/** Reads the listing that the address names, and shows it unless it cannot be changed any more. */
export function OwnListingLoader({ children }: { children: (listing: Loaded) => ReactNode }) {
  const { t } = useTranslation()
  const { productId = '' } = useParams()
  const user = useUser()
  const listing = useOwnListing(Number(productId))
  const auction = listing.status === 'read' ? listing.auction : null
  useEffect(() => {
    if (auction === 'missing') showToast({ title: t('sell.toasts.noAuction'), tone: 'destructive' })
    if (auction === 'unread') showToast({ title: t('sell.toasts.auctionUnread'), tone: 'destructive' })
  }, [auction, t])

  if (!user || listing.status === 'loading') return <Spinner label={t('shell.loading')} />
  const toDashboard = <ButtonLink to={paths.sellerDashboard()}>{t('sell.toDashboard')}</ButtonLink>
  const again = <Button onClick={listing.reload}>{t('sell.locked.retry')}</Button>
  if (listing.status === 'failed') {
    const isGone = ['product-not-found', 'bad-request', 'forbidden'].some((code) =>
      isApiError(listing.error, code as 'forbidden'),
    )
    return (
      <Problem
        title={t(isGone ? 'sell.locked.missing' : 'sell.locked.failed')}
        text={isGone ? t('sell.locked.missingText') : shownMessage(listing.error)}
        action={isGone ? toDashboard : again}
      />
    )
  }
  const { status } = listing.product
  if (auction === 'unread') {
    return <Problem title={t('sell.locked.failed')} text={t('sell.toasts.auctionUnread')} action={again} />
  }
  if (status === 'sold' || status === 'pending') {
    const what = status === 'sold' ? 'sold' : 'reserved'
    return <Problem title={t(`sell.locked.${what}`)} text={t(`sell.locked.${what}Text`)} action={toDashboard} />
  }
  return children({ ...listing, sellerId: user.id })
}

export function Problem({ title, text, action }: { title: string; text: string; action: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Page>
      <title>{`${title} · ${t('shell.brand')}`}</title>
      <EmptyState heading="h1" title={title} action={action}>
        {text}
      </EmptyState>
    </Page>
  )
}
