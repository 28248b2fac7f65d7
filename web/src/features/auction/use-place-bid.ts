import { formatRinggit } from '@wangian/contracts/money.ts'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { sentenceInPageLanguage } from '../../i18n/in-page-language.ts'
import { track } from '../../lib/analytics.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useLiveSocket, useLiveStatus } from '../../live/use-live-socket.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import { showToast } from '../../ui/toast-store.ts'
import { parseAmount } from './bid-amount.ts'
import { type BidAnswer, bidSenderOf } from './bid-sender.ts'

/**
 * Places bids: checks what can be known here in the order that the product promises, sends, and says how it went.
 * `minimum` is the smallest bid in ringgit.
 */
export function usePlaceBid(auction: { auctionId: number; sellerId: number; minimum: number }): {
  /** `true` when the bid was accepted. */
  place: (typed: string) => Promise<boolean>
  isPlacing: boolean
} {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const user = useUser()
  const socket = useLiveSocket()
  const { status } = useLiveStatus()
  const [isPlacing, setPlacing] = useState(false)
  const { auctionId, sellerId, minimum } = auction

  const refuse = (title: string, description?: string) => showToast({ title, description, tone: 'destructive' })

  const answerOf = async (typed: string): Promise<BidAnswer | null> => {
    if (!user) {
      showToast({
        title: t('bid.requiredTitle'),
        description: t('bid.requiredText'),
        tone: 'destructive',
        action: {
          label: t('bid.signIn'),
          onAct: () => void navigate(paths.login({ redirect: paths.auction(auctionId) })),
        },
      })
      return null
    }
    if (user.id === sellerId) {
      refuse(t('bid.ownListing'), t('bid.ownListingText'))
      return null
    }
    const amount = parseAmount(typed)
    if (amount === null) {
      refuse(t('bid.invalidTitle'), t('bid.invalidText'))
      return null
    }
    if (amount < minimum) {
      refuse(t('bid.lowTitle'), t('bid.lowText', { amount: formatRinggit(minimum) }))
      return null
    }
    if (status !== 'connected') {
      refuse(t('bid.connectionTitle'), t('bid.connectionSend'))
      return null
    }
    setPlacing(true)
    track('place_bid', { auction_id: auctionId, bid_amount: amount, currency: 'MYR' })
    try {
      return await bidSenderOf(socket).place({ auctionId, userId: user.id, amount })
    } finally {
      setPlacing(false)
    }
  }

  const explain = (answer: BidAnswer) => {
    if (answer.kind === 'accepted') {
      const amount = formatRinggit(answer.amount)
      showToast({ title: t('bid.placedTitle'), description: t('bid.placedText', { amount }) })
    } else if (answer.kind === 'unanswered') {
      refuse(t('bid.failedTitle'), t('bid.unknownText'))
    } else if (answer.kind === 'unsent') {
      refuse(t('bid.failedTitle'), t('bid.failedText'))
    } else if (answer.code === 'bid-too-low' && answer.minimum !== undefined) {
      refuse(t('bid.lowTitle'), t('bid.lowText', { amount: formatRinggit(answer.minimum) }))
    } else if (answer.code === 'own-listing') {
      refuse(t('bid.ownListing'), t('bid.ownListingText'))
    } else if (answer.code === 'invalid-amount') {
      refuse(t('bid.invalidTitle'), t('bid.invalidText'))
    } else {
      refuse(t('bid.failedTitle'), sentenceInPageLanguage(answer.message, answer.code))
    }
  }

  return {
    isPlacing,
    async place(typed) {
      if (isPlacing) return false
      const answer = await answerOf(typed)
      if (answer) explain(answer)
      return answer?.kind === 'accepted'
    },
  }
}
