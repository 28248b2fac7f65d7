import type { Product } from '@wangian/contracts/catalogue.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import type { Seller } from '@wangian/contracts/shop.ts'
import { i18n } from '../i18n/i18n.ts'
import { paths } from '../paths.ts'
import { showToast } from '../ui/toast-store.ts'
import { type ConversationHandOff, handOverConversation } from './conversation-hand-off.ts'

type Listing = Pick<Product, 'id' | 'name' | 'sellerId' | 'seller'>
type Shop = Pick<Seller, 'id' | 'username' | 'profileImage' | 'shopName'>

/** Who wants to write to a seller, and where. */
interface Writer {
  readonly user: { readonly id: number } | null
  /** Where to come back to. */
  readonly here: string
  readonly goTo: (path: string) => void
}

/** The ways to a conversation with a seller: to ask about a listing, to buy it at once, and to write to a shop. */
export interface WaysToSeller {
  readonly contact: (listing: Listing | null) => void
  /** `price` is in ringgit. */
  readonly buyNow: (listing: Listing | null, price: number) => void
  /** About nothing in particular, from their shop. */
  readonly contactShop: (shop: Shop) => void
}

/** Needs the words of all pages. */
export function waysToSeller({ user, here, goTo }: Writer): WaysToSeller {
  const { t } = i18n

  const open = (
    listing: Listing | null,
    template: Pick<ConversationHandOff, 'templateMessage' | 'isOffer'>,
    words: { guest: string; selfTitle: string },
  ) => {
    if (!user) {
      askGuest(words.guest)
      return
    }
    // Whoever has left has no name any more, and reads nothing.
    const username = listing?.seller?.username
    if (!listing || !username) {
      showToast({ title: t('problem.error'), description: t('contact.noSeller'), tone: 'destructive' })
      return
    }
    if (listing.sellerId === user.id) {
      refuseSelf(words.selfTitle)
      return
    }
    handOver(user.id, {
      userId: listing.sellerId,
      username,
      profileImage: listing.seller.profileImage,
      productId: listing.id,
      productName: listing.name,
      ...template,
    })
  }

  const handOver = (ownId: number, conversation: ConversationHandOff & { username: string }) => {
    handOverConversation(ownId, conversation)
    showToast({
      title: t('contact.contactingTitle'),
      description: t('contact.contactingText', { name: conversation.username }),
    })
    goTo(paths.messages())
  }

  const askGuest = (words: string) => {
    showToast({ title: t('contact.requiredTitle'), description: words })
    goTo(paths.auth({ redirect: here }))
  }

  const refuseSelf = (title: string) => showToast({ title, description: t('contact.selfText'), tone: 'destructive' })

  return {
    contact: (listing) =>
      open(
        listing,
        { templateMessage: t('contact.template', { product: listing?.name ?? '' }) },
        {
          guest: t('contact.requiredText'),
          selfTitle: t('contact.selfTitle'),
        },
      ),
    buyNow: (listing, price) => {
      const templateMessage = t('contact.buyTemplate', { product: listing?.name ?? '', amount: formatRinggit(price) })
      open(
        listing,
        { templateMessage, isOffer: true },
        { guest: t('contact.requiredBuy'), selfTitle: t('contact.buySelfTitle') },
      )
    },
    contactShop: ({ id, username, profileImage, shopName }) => {
      if (!user) {
        askGuest(t('contact.requiredText'))
        return
      }
      if (id === user.id) {
        refuseSelf(t('contact.selfTitle'))
        return
      }
      handOver(user.id, {
        userId: id,
        username,
        profileImage,
        productId: null,
        productName: null,
        templateMessage: t('shop.question', { shop: shopName }),
      })
    },
  }
}
