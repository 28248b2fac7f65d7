import type { Product } from '@wangian/contracts/catalogue.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router-dom'
import { paths } from '../paths.ts'
import { useUser } from '../session/use-session.ts'
import { showToast } from '../ui/toast-store.ts'
import { handOverConversation } from './conversation-hand-off.ts'

type Listing = Pick<Product, 'id' | 'name' | 'sellerId' | 'seller'>

/** The two ways to a conversation with the seller of a listing: to ask, and to buy at once. `here` is where to come back to. */
export function useContactSeller(here: string): {
  contact: (listing: Listing | null) => void
  /** `price` is in ringgit. */
  buyNow: (listing: Listing | null, price: number) => void
} {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const user = useUser()

  const open = (listing: Listing | null, templateMessage: string, words: { guest: string; selfTitle: string }) => {
    if (!user) {
      showToast({ title: t('contact.requiredTitle'), description: words.guest })
      void navigate(paths.auth({ redirect: here }))
      return
    }
    // Whoever has left has no name any more, and reads nothing.
    const username = listing?.seller?.username
    if (!listing || !username) {
      showToast({ title: t('problem.error'), description: t('contact.noSeller'), tone: 'destructive' })
      return
    }
    if (listing.sellerId === user.id) {
      showToast({ title: words.selfTitle, description: t('contact.selfText'), tone: 'destructive' })
      return
    }
    handOverConversation({
      userId: listing.sellerId,
      username,
      profileImage: listing.seller.profileImage,
      productId: listing.id,
      productName: listing.name,
      templateMessage,
    })
    showToast({
      title: t('contact.contactingTitle'),
      description: t('contact.contactingText', { name: username }),
    })
    void navigate(paths.messages())
  }

  return {
    contact: (listing) =>
      open(listing, t('contact.template', { product: listing?.name ?? '' }), {
        guest: t('contact.requiredText'),
        selfTitle: t('contact.selfTitle'),
      }),
    buyNow: (listing, price) =>
      open(listing, t('contact.buyTemplate', { product: listing?.name ?? '', amount: formatRinggit(price) }), {
        guest: t('contact.requiredBuy'),
        selfTitle: t('contact.buySelfTitle'),
      }),
  }
}
