import { useNavigate } from 'react-router-dom'
import { loadWords } from '../i18n/i18n.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useUser } from '../session/use-session.ts'
import { showToast } from '../ui/toast-store.ts'
import type { WaysToSeller } from './contact-seller.ts'

/** The ways to a conversation with a seller. Loaded once somebody takes one: most cards are only looked at. `here` is where to come back to. */
export function useContactSeller(here: string): WaysToSeller {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const user = useUser()

  const take = async (way: (ways: WaysToSeller) => void) => {
    try {
      const [{ waysToSeller }] = await Promise.all([import('./contact-seller.ts'), loadWords()])
      way(waysToSeller({ user, here, goTo: (path) => void navigate(path) }))
    } catch {
      showToast({ title: t('problem.loadTitle'), tone: 'destructive' })
    }
  }

  return {
    contact: (listing) => void take((ways) => ways.contact(listing)),
    buyNow: (listing, price) => void take((ways) => ways.buyNow(listing, price)),
    contactShop: (shop) => void take((ways) => ways.contactShop(shop)),
  }
}
