import { auctionRoutes } from '@wangian/contracts/auction.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { call } from '../../../api/client.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import type { OwnProducts } from './api.ts'
import { ReasonDialog } from './ReasonDialog.tsx'

/** Ends an auction that has no bid yet, with a reason. */
export function CancelAuctionDialog({
  product,
  list,
  onClose,
}: {
  product: OwnProduct
  list: OwnProducts
  onClose: () => void
}) {
  const { t } = useTranslation()
  const cancel = async (reason: string) => {
    if (product.auction === null) return
    await call(auctionRoutes.cancelAuction, { params: { auctionId: product.auction.id }, body: { reason } })
    // The list hears of it a moment later than the auction.
    list.change(product.id, (now) => ({ ...now, auction: now.auction && { ...now.auction, status: 'cancelled' } }))
  }
  const intro = t('dashboard.cancelling.text')
  return (
    <ReasonDialog step="cancelling" product={product} intro={intro} isRequired onConfirm={cancel} onClose={onClose} />
  )
}
