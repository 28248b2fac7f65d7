import { useCallback } from 'react'
import { useNavigate } from 'react-router-dom'
import { useHandOver } from '../../contact/use-hand-over.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { showToast } from '../../ui/toast-store.ts'

interface Person {
  readonly id: number
  readonly username: string | null
}

type WriteTo = (
  person: Person,
  product?: { readonly id: number; readonly name: string },
  words?: 'aboutListing' | 'aboutOrder',
) => void

/** Opens a conversation with somebody, about what they sell or have ordered, or about nothing in particular. */
export function useWriteTo(): WriteTo {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const handOver = useHandOver()
  return useCallback(
    (person, product, words = 'aboutListing') => {
      const { id, username } = person
      if (username === null) {
        showToast({ title: t('problem.error'), description: t('contact.noSeller'), tone: 'destructive' })
        return
      }
      handOver({
        userId: id,
        username,
        profileImage: null,
        productId: product?.id ?? null,
        productName: product?.name ?? null,
        templateMessage: product ? t(`admin.write.${words}`, { product: product.name }) : '',
      })
      showToast({ title: t('admin.write.title'), description: t('contact.contactingText', { name: username }) })
      void navigate(paths.messages())
    },
    [navigate, handOver, t],
  )
}
