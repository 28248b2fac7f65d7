import { useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { loadWords } from '../i18n/i18n.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useSession } from '../session/use-session.ts'
import { showToast } from '../ui/toast-store.ts'
import type { WaysToSeller } from './contact-seller.ts'

/** The ways to a conversation with a seller. Loaded once somebody takes one: most cards are only looked at. `here` is where to come back to. */
export function useContactSeller(here: string): WaysToSeller {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const session = useSession()

  const isTaking = useRef(false)
  const take = async (way: (ways: WaysToSeller) => void) => {
    // Whoever presses twice meanwhile goes once.
    if (isTaking.current) return
    isTaking.current = true
    try {
      const loaded = Promise.all([import('./contact-seller.ts'), loadWords()])
      const [[{ waysToSeller }], user] = await Promise.all([loaded, session.knownUser()])
      way(waysToSeller({ user, here, goTo: (path) => void navigate(path) }))
    } catch {
      showToast({ title: t('problem.loadTitle'), tone: 'destructive' })
    } finally {
      isTaking.current = false
    }
  }

  return {
    contact: (listing) => void take((ways) => ways.contact(listing)),
    buyNow: (listing, price) => void take((ways) => ways.buyNow(listing, price)),
    contactShop: (shop) => void take((ways) => ways.contactShop(shop)),
  }
}
