import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'react-router-dom'
import { styled } from 'styled-components'
import { formatCount } from '../../lib/numbers.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, from, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Drawer } from '../../ui/Drawer.tsx'
import { FilterPanel } from './FilterPanel.tsx'
import { useFacets } from './product-list.ts'
import { activeFiltersOf, noFilters, type ProductFilters, type ProductQuery } from './product-query.ts'

interface FilterProps {
  query: ProductQuery
  onApply: (filters: ProductFilters) => void
  onReset: () => void
}

/** The filters beside a list. */
export function FilterAside({ query, onApply, onReset }: FilterProps) {
  const { t } = useTranslation()
  const { filters, facets, change } = useDraft(query)
  return (
    <Aside aria-label={t('products.filters')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onApply(filters)
        }}
      >
        <FilterPanel filters={filters} facets={facets} onChange={change} />
        <Foot>
          <Found aria-live="polite">{facets && t('products.count', { count: facets.total })}</Found>
          <Button type="submit" wide>
            {t('products.apply')}
          </Button>
          <Button tone="plain" wide onClick={onReset}>
            {t('products.reset')}
          </Button>
        </Foot>
      </form>
    </Aside>
  )
}

/** The filters where there is no room beside the list: behind a button that says how many are in force. */
export function FilterDrawer({ query, onApply, onReset }: FilterProps) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const { filters, facets, change, restore } = useDraft(query)
  const active = activeFiltersOf(query).length
  const close = () => setOpen(false)
  return (
    <>
      <Button
        tone="secondary"
        aria-haspopup="dialog"
        onClick={() => {
          restore()
          setOpen(true)
        }}
      >
        <SlidersHorizontal size={18} strokeWidth={1.5} aria-hidden />
        {active > 0 ? t('products.filtersActive', { count: active }) : t('products.filters')}
      </Button>
      <Drawer
        isOpen={isOpen}
        onClose={close}
        title={t('products.filters')}
        closeLabel={t('products.closeFilters')}
        side="left"
        footer={
          <>
            <Button
              tone="secondary"
              onClick={() => {
                close()
                onReset()
              }}
            >
              {t('products.reset')}
            </Button>
            <Button
              onClick={() => {
                close()
                onApply(filters)
              }}
            >
              {facets ? t('products.applyCount', { total: formatCount(facets.total) }) : t('products.apply')}
            </Button>
          </>
        }
      >
        <FilterPanel filters={filters} facets={facets} onChange={change} />
      </Drawer>
    </>
  )
}

/** Filters as they are being chosen, with what they would find; they begin anew whenever somebody goes to a list, be it the same one. */
function useDraft(query: ProductQuery) {
  const [filters, setFilters] = useState<ProductFilters>(query)
  // Follows them, but not through every step of the slider.
  const [asked, setAsked] = useState<ProductFilters>(query)
  const { key } = useLocation()
  const [begunAt, setBegunAt] = useState(key)
  const restore = () => {
    setFilters(query)
    setAsked(query)
  }
  // A reset may lead to the address that is open: what was only ticked is not in it.
  if (begunAt !== key) {
    setBegunAt(key)
    restore()
  }
  const { facets } = useFacets({ ...noFilters, ...asked, search: query.search })
  return {
    filters,
    facets,
    change: (next: ProductFilters, isSettled: boolean) => {
      setFilters(next)
      if (isSettled) setAsked(next)
    },
    restore,
  }
}

const Aside = styled.aside`
  ${from.desktop} {
    position: sticky;
    top: ${space(16)};
    /* Below the header and the page's own margin. */
    max-height: calc(100dvh - ${space(16 + 12)});
    margin-left: -${space(2)};
    padding: ${space(2)} ${space(4)} 0 ${space(2)};
    overflow-y: auto;
    overscroll-behavior: contain;
    /* What has the focus is not below the foot. */
    scroll-padding-bottom: ${space(44)};
    scrollbar-width: thin;
    scrollbar-color: ${color.line} transparent;
  }
`

/** In sight however long the list of brands is. */
const Foot = styled.div`
  position: sticky;
  bottom: 0;
  display: grid;
  gap: ${space(2)};
  margin-top: ${space(6)};
  padding: ${space(4)} 0 ${space(5)};
  border-top: 1px solid ${color.line};
  background: ${color.paper};
`

const Found = styled.p`
  min-height: 1.5em;
  color: ${color.muted};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
  text-align: center;
`
