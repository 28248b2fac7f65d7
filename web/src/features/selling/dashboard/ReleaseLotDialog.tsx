import { auctionRoutes } from '@wangian/contracts/auction.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { call } from '../../../api/client.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import type { OwnProducts } from './api.ts'
import { ReasonDialog } from './ReasonDialog.tsx'

/** Gives up on the winner of an auction, who has not paid or is gone. */
export function ReleaseLotDialog({
  product,
  list,
  onClose,
}: {
  product: OwnProduct
  list: OwnProducts
  onClose: () => void
}) {
  const { t } = useTranslation()
  const release = async (reason: string) => {
    if (product.auction === null) return
    const body = reason === '' ? {} : { reason }
    await call(auctionRoutes.releaseLot, { params: { auctionId: product.auction.id }, body })
    list.change(product.id, (now) =>
      now.reservation === null
        ? now
        : {
            ...now,
            status: 'active',
            reservation: null,
            // Deals may keep other bottles of it.
            reservedQuantity: now.reservedQuantity - 1,
            auction: now.auction && { ...now.auction, isReleased: true },
          },
    )
  }
  const name = product.reservation?.username ?? t('person.deleted')
  const intro = t('dashboard.releasing.text', { name })
  return <ReasonDialog step="releasing" product={product} intro={intro} onConfirm={release} onClose={onClose} />
}
