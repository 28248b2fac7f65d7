import type { ListingType } from '@wangian/contracts/catalogue.ts'
import { X } from 'lucide-react'
import { styled } from 'styled-components'
import { categoryFrom, categoryKeys } from '../../cards/category-names.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, motion, phone, radius, space, text } from '../../theme/theme.ts'
import { formatRange } from '../../ui/RangeSlider.tsx'
import { formatPriceBound } from './FilterPanel.tsx'
import { type ActiveFilter, activeFiltersOf, type ProductQuery } from './product-query.ts'

/** What a list is narrowed by, each to be taken away with one touch. */
export function ActiveFilters({ query, onRemove }: { query: ProductQuery; onRemove: (without: ProductQuery) => void }) {
  const { t } = useTranslation()
  const filters = activeFiltersOf(query)
  if (filters.length === 0) return null
  const labelOf = ({ kind, value }: ActiveFilter) => {
    if (kind === 'type') return t(`card.${value as ListingType}`)
    if (kind === 'price') return formatRange(query.price, formatPriceBound)
    if (kind === 'fill') return t('products.fillAtLeast', { percentage: value })
    const category = kind === 'category' ? categoryFrom(value) : null
    return category ? t(categoryKeys[category]) : value
  }
  return (
    <List aria-label={t('products.activeFilters')}>
      {filters.map((filter) => (
        <li key={`${filter.kind} ${filter.value}`}>
          <Chip
            type="button"
            aria-label={t('products.removeFilter', { filter: labelOf(filter) })}
            onClick={() => onRemove(filter.without)}
          >
            {labelOf(filter)}
            <X size={16} strokeWidth={1.5} aria-hidden />
          </Chip>
        </li>
      ))}
    </List>
  )
}

const List = styled.ul`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  margin-bottom: ${space(6)};
`

const Chip = styled.button`
  display: inline-flex;
  gap: ${space(2)};
  align-items: center;
  min-height: ${space(9)};
  ${phone} { min-height: ${space(11)}; }
  padding: 0 ${space(3)} 0 ${space(4)};
  border: 1px solid ${color.line};
  border-radius: ${radius.round};
  background: ${color.surface};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
`
