import { fillBounds, ListingType, type ProductFacets } from '@wangian/contracts/catalogue.ts'
import { formatRinggitShort } from '@wangian/contracts/money.ts'
import { useId } from 'react'
import { styled } from 'styled-components'
import { categoryIds, categoryKeys } from '../../cards/category-names.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { space } from '../../theme/theme.ts'
import { Radio, RadioGroup } from '../../ui/Choices.tsx'
import { RangeSlider } from '../../ui/RangeSlider.tsx'
import { BrandFilter } from './BrandFilter.tsx'
import { PRICE_SLIDER_MAX, PRICE_SLIDER_STEP, type ProductFilters } from './product-query.ts'

/** What a list may be narrowed by. `onChange` follows the price at every step, with `isSettled` false until the hand lets go. */
export function FilterPanel({
  filters,
  facets,
  onChange,
}: {
  filters: ProductFilters
  /** Undefined until they are known, and `null` when they could not be read. */
  facets: ProductFacets | null | undefined
  onChange: (filters: ProductFilters, isSettled: boolean) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const { category, type, price, fill, brands } = filters
  const change = (changes: Partial<ProductFilters>) => onChange({ ...filters, ...changes }, true)
  return (
    <Groups>
      <RadioGroup legend={t('products.category')}>
        {[null, ...categoryIds].map((each) => (
          <Radio
            key={each}
            name={`${id}-category`}
            label={each === null ? t('products.allCategories') : t(categoryKeys[each])}
            checked={category === each}
            onChange={() => change({ category: each })}
          />
        ))}
      </RadioGroup>
      <RangeSlider
        label={t('products.price')}
        value={[price[0], Math.min(price[1], PRICE_SLIDER_MAX)]}
        min={0}
        max={PRICE_SLIDER_MAX}
        step={PRICE_SLIDER_STEP}
        thumbLabels={[t('products.minPrice'), t('products.maxPrice')]}
        format={formatPriceBound}
        onChange={(next) => onChange({ ...filters, price: next }, false)}
        onSettle={(next) => change({ price: next })}
      />
      <RadioGroup legend={t('products.fill')}>
        {[null, ...fillBounds].map((each) => (
          <Radio
            key={each}
            name={`${id}-fill`}
            label={each === null ? t('products.anyFill') : t('products.fillAtLeast', { percentage: each })}
            checked={fill === each}
            onChange={() => change({ fill: each })}
          />
        ))}
      </RadioGroup>
      <BrandFilter
        brands={facets === null ? null : facets?.brands}
        chosen={brands}
        onChange={(next) => change({ brands: next })}
      />
      {/* It waits for the brands above it, which push it down. */}
      {facets !== undefined && (
        <RadioGroup legend={t('products.type')}>
          {[null, ...ListingType.options].map((each) => (
            <Radio
              key={each}
              name={`${id}-type`}
              label={each === null ? t('products.anyType') : t(`card.${each}`)}
              checked={type === each}
              onChange={() => change({ type: each })}
            />
          ))}
        </RadioGroup>
      )}
    </Groups>
  )
}

/** The upper end of the slider stands for everything beyond it, too. */
export function formatPriceBound(amount: number): string {
  return amount >= PRICE_SLIDER_MAX ? `${formatRinggitShort(PRICE_SLIDER_MAX)}+` : formatRinggitShort(amount)
}

const Groups = styled.div`
  display: grid;
  gap: ${space(7)};
`
