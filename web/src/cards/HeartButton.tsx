import type { Product } from '@wangian/contracts/catalogue.ts'
import { Heart } from 'lucide-react'
import { useTranslation } from '../lib/use-translation.ts'
import { CardIconButton } from './Card.tsx'
import { useFavorite } from './use-favorite.ts'

/** Keeps a product, or keeps it no longer. */
export function HeartButton({ product: { id, name } }: { product: Pick<Product, 'id' | 'name'> }) {
  const { t } = useTranslation()
  const [isKept, keep] = useFavorite(id)
  return (
    <CardIconButton
      type="button"
      aria-pressed={isKept}
      aria-label={isKept ? t('card.unsave', { name }) : t('card.save', { name })}
      onClick={() => keep(id, !isKept)}
    >
      <Heart size={18} strokeWidth={1.5} aria-hidden />
    </CardIconButton>
  )
}
