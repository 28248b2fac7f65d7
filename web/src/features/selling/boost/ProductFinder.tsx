import { useTranslation } from '../../../lib/use-translation.ts'
import { Button } from '../../../ui/Button.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { VisuallyHidden } from '../../../ui/VisuallyHidden.tsx'
import type { ProductFinder } from './use-product-finder.ts'

/** Searches among the products that can be boosted; it stands above them. */
export function FinderField({ finder }: { finder: ProductFinder<HTMLElement> }) {
  const { t } = useTranslation()
  const { isSearchable, search, onSearch, searched, foundCount } = finder
  if (!isSearchable) return null
  return (
    <>
      <SearchField
        label={t('dashboard.search')}
        placeholder={t('boost.find.placeholder')}
        search={search}
        onSearch={onSearch}
      />
      <VisuallyHidden role="status">{searched !== '' && t('boost.find.found', { count: foundCount })}</VisuallyHidden>
    </>
  )
}

/** The end of what is shown of them: that there are none, or the way to more. */
export function FinderEnd({ finder }: { finder: ProductFinder<HTMLElement> }) {
  const { t } = useTranslation()
  const { foundCount, searched, hasMore, isLoadingMore, onMore } = finder
  if (foundCount === 0 && searched !== '') return t('boost.find.none', { search: searched })
  if (!hasMore) return null
  return (
    <Button tone="secondary" size="small" busy={isLoadingMore} busyLabel={t('products.loadingMore')} onClick={onMore}>
      {t('products.more')}
    </Button>
  )
}
