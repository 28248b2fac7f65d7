import { i18n, loadWords } from '../i18n/i18n.ts'
import { showToast } from '../ui/toast-store.ts'

/** Says that there is no room for more favourites, which hardly anybody reads: its words are loaded for it. */
export async function tellOfFull(title: 'favorites.saveFailed' | 'wishlist.someLeftOut'): Promise<void> {
  await loadWords()
  showToast({ title: i18n.t(title), description: i18n.t('wishlist.full'), tone: 'destructive' })
}
