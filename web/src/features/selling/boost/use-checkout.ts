import { type BoostPackage, type BoostPayment, boostRoutes } from '@wangian/contracts/boost.ts'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { z } from 'zod'
import { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { showToast, type ToastMessage } from '../../../ui/toast-store.ts'
import { keepPaying, trackCheckout } from './paid-boost.ts'
import { useRequestKey } from './use-request-key.ts'

/** How many products the server's package is for: another number than that of the page, where the package has just changed. */
const Counts = z.object({ required: z.int(), selected: z.int() })

/** Orders a boost, or goes on with an order that waits for its payment. While it does, and until the page is left, it does nothing else. */
export function useCheckout(onFailure: () => void) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const requestKey = useRequestKey()
  const [isBusy, setIsBusy] = useState(false)
  // Two clicks may come before the first one is drawn.
  const isUnderWay = useRef(false)
  const setUnderWay = (now: boolean) => {
    isUnderWay.current = now
    setIsBusy(now)
  }
  useEffect(() => {
    // A browser that goes back may show the page as it was left.
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return
      isUnderWay.current = false
      setIsBusy(false)
    }
    window.addEventListener('pageshow', onShow)
    return () => window.removeEventListener('pageshow', onShow)
  }, [])

  const checkOut = async (
    boost: BoostPackage,
    productIds: readonly number[],
    waiting: Pick<BoostPayment, 'orderId' | 'amount'> | undefined,
  ) => {
    if (isUnderWay.current) return
    setUnderWay(true)
    showToast({ title: t('boost.processing'), description: t('boost.processingText') })
    const { id: packageId, name: packageName, package_type: packageType } = boost
    const bought = { packageId, packageName, amountSen: waiting?.amount ?? boost.price }
    trackCheckout(bought)
    try {
      const { orderId, paymentUrl } = waiting
        ? await call(boostRoutes.payOrder, { params: { orderId: waiting.orderId } })
        : await call(boostRoutes.createOrder, {
            body: { boostPackageId: boost.id, productIds: [...productIds], requestKey },
          })
      keepPaying({ ...bought, orderId, packageType, durationHours: boost.duration_hours })
      window.location.assign(paymentUrl)
    } catch (error) {
      setUnderWay(false)
      onFailure()
      if (error instanceof ApiError) {
        showToast(failureOf(error, boost.item_count, productIds.length))
      } else {
        // The order is there, and nothing says where it is paid: it can be paid from the list of payments.
        showToast({ title: t('boost.noUrl'), description: t('boost.noUrlText'), tone: 'destructive' })
        void navigate(paths.sellerDashboard('boosted'))
      }
    }
  }
  const failureOf = (error: ApiError, count: number, selected: number): ToastMessage => {
    const tone = 'destructive'
    switch (error.code) {
      case 'no-products-selected':
      case 'invalid-package':
        return { title: error.shown, tone }
      case 'product-count-mismatch': {
        const told = Counts.safeParse(error.details).data ?? { required: count, selected }
        const description = t('boost.countMismatch', { count: told.required, selected: told.selected })
        return { title: t('boost.mismatch'), description, tone }
      }
      default:
        return {
          title: t('boost.orderFailed'),
          description: error.code === undefined ? t('boost.tryLater') : error.shown,
          tone,
        }
    }
  }
  return { isBusy, checkOut }
}
