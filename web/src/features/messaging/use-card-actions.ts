import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { useRef, useState } from 'react'
import { ApiError, isApiError, shownMessage } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { showToast } from '../../ui/toast-store.ts'
import type { PressedStep } from './card-state.ts'
import type { ConversationNews } from './conversation-state.ts'

/** Where what became of a card is told. */
export interface CardNews {
  readonly tell: (news: ConversationNews) => void
  /** Reads the conversation again, since the server knows something else. */
  readonly reload: () => Promise<void>
}

/**
 * What can be done with a card. Each says in a toast how it went, and does nothing while another one is under way. `onRefused` is called
 * when the card stays as it is.
 */
export function useCardActions({ tell, reload }: CardNews, onRefused: () => void) {
  const { t } = useTranslation()
  const isUnderWay = useRef(false)
  const [busy, setBusy] = useState<'confirm' | 'cancel' | 'review' | null>(null)

  /** @returns whether it went through */
  const once = async (
    what: NonNullable<typeof busy>,
    act: () => Promise<void>,
    refused: (error: unknown) => string,
  ) => {
    // Two presses may come before the button knows that it is busy.
    if (isUnderWay.current) return false
    isUnderWay.current = true
    setBusy(what)
    try {
      await act()
      return true
    } catch (error) {
      showToast({ title: t('problem.error'), description: refused(error), tone: 'destructive' })
      if (isStale(error)) void reload()
      else onRefused()
      return false
    } finally {
      isUnderWay.current = false
      setBusy(null)
    }
  }

  return {
    busy,
    confirm: (messageId: number, step: PressedStep) =>
      once(
        'confirm',
        async () => {
          const { message, next } = await untilAnswered(() =>
            call(messagingRoutes.confirmAction, { body: { messageId } }),
          )
          tell({ type: 'stepTaken', messages: next ? [message, next] : [message] })
          showToast({ title: t(`deal.${step}.toast`), description: t(`deal.${step}.toastText`) })
        },
        shownMessage,
      ),
    review: (messageId: number, review: { rating: number; comment: string }) =>
      once(
        'review',
        async () => {
          const comment = review.comment.trim() || null
          const body = { rating: review.rating, comment }
          const { message } = await call(messagingRoutes.submitReview, { params: { messageId }, body })
          tell({ type: 'stepTaken', messages: [message] })
          showToast({ title: t('deal.thanks'), description: t('deal.thanksText') })
        },
        (error) => (isStale(error) ? shownMessage(error) : t('deal.reviewFailed')),
      ),
    cancel: (transactionId: number) =>
      once(
        'cancel',
        async () => {
          const params = { transactionId }
          const { transaction } = await untilAnswered(() => call(messagingRoutes.cancelTransaction, { params }))
          tell({ type: 'cancelled', transaction })
          showToast({ title: t('deal.cancelledToast'), description: t('deal.cancelledToastText') })
        },
        shownMessage,
      ),
  }
}

/** A step that is taken already stays as it is: where the answer was lost, asking once more says how it went. */
async function untilAnswered<Answer>(take: () => Promise<Answer>): Promise<Answer> {
  try {
    return await take()
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) return await take()
    throw error
  }
}

/** Refusals that say that the card on screen is not the latest. */
const staleCodes = ['deal-cancelled', 'deal-out-of-order', 'deal-paid', 'review-exists'] as const

function isStale(error: unknown): boolean {
  return staleCodes.some((code) => isApiError(error, code))
}
