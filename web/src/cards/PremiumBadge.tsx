import { PREMIUM_PACKAGE_ID_MIN, type Product } from '@wangian/contracts/catalogue.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { Badge } from '../ui/Badge.tsx'

/** Marks what a premium package boosts now; a standard one only puts it first. What is kept for somebody is in no first place. */
export function PremiumBadge({ product: { isFeatured, boost_package_id, status } }: { product: Product }) {
  const { t } = useTranslation()
  if (!isFeatured || status === 'pending' || boost_package_id === null || boost_package_id < PREMIUM_PACKAGE_ID_MIN)
    return null
  return <Badge $tone="accent">{t('card.featured')}</Badge>
}
