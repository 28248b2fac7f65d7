import { BRANDS_ASKED_MAX, type ProductFacets } from '@wangian/contracts/catalogue.ts'
import { useId, useState } from 'react'
import { styled } from 'styled-components'
import { folded } from '../../lib/folded.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Choices.tsx'
import { Fieldset, Legend } from '../../ui/Fieldset.tsx'
import { Input } from '../../ui/Input.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'

/** So many brands are in sight at first. */
const BRANDS_SHOWN = 8
/** Beyond so many, there is a field to look for one. */
const BRANDS_UNSEARCHED_MAX = 12

type Brands = ProductFacets['brands']

/** The brands of a list with how often they are in it, the most frequent ones first. */
export function BrandFilter({
  brands,
  chosen,
  onChange,
}: {
  /** Undefined until they are known; without them there is still what was chosen. */
  brands: Brands | null | undefined
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const [words, setWords] = useState('')
  const [showsAll, setShowsAll] = useState(false)
  if (brands === undefined) return <ComingBrands legend={t('products.brands')} />
  const known = withChosen(brands ?? [], chosen)
  const chosenKeys = new Set(chosen.map(keyOf))
  const isChosen = (brand: string) => chosenKeys.has(keyOf(brand))
  const found = known.filter(({ brand }) => folded(brand).includes(folded(words.trim())))
  const isLong = found.length > BRANDS_SHOWN
  const shown =
    showsAll || !isLong ? found : found.filter(({ brand }, place) => place < BRANDS_SHOWN || isChosen(brand))
  if (known.length === 0) return null
  return (
    <Fieldset>
      <Legend>{t('products.brands')}</Legend>
      {known.length > BRANDS_UNSEARCHED_MAX && (
        <>
          <VisuallyHidden as="label" htmlFor={id}>
            {t('products.findBrand')}
          </VisuallyHidden>
          <FindField
            id={id}
            type="search"
            value={words}
            placeholder={t('products.findBrand')}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => {
              // It narrows the list as one types; what is ticked is applied by the button.
              if (event.key === 'Enter') event.preventDefault()
            }}
          />
        </>
      )}
      <List $scrolls={showsAll && isLong}>
        {shown.map(({ brand, count }) => (
          <li key={brand}>
            <Checkbox
              label={brand}
              aside={count}
              checked={isChosen(brand)}
              disabled={chosen.length >= BRANDS_ASKED_MAX && !isChosen(brand)}
              onChange={({ currentTarget }) =>
                onChange(
                  currentTarget.checked ? [...chosen, brand] : chosen.filter((each) => keyOf(each) !== keyOf(brand)),
                )
              }
            />
          </li>
        ))}
      </List>
      {found.length === 0 && <Nothing>{t('products.noBrand')}</Nothing>}
      {isLong && (
        <Toggle tone="plain" size="small" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t('products.fewerBrands') : t('products.allBrands', { count: found.length })}
        </Toggle>
      )}
    </Fieldset>
  )
}

function ComingBrands({ legend }: { legend: string }) {
  return (
    <Fieldset as="div">
      <Legend as="p">{legend}</Legend>
      <Coming>
        {Array.from({ length: BRANDS_SHOWN }, (_, place) => place).map((place) => (
          <Skeleton key={place} $height={space(5)} $width={place % 2 === 0 ? '70%' : '55%'} />
        ))}
      </Coming>
    </Fieldset>
  )
}

/** What was ticked stays there to be unticked, though nothing of it may be left. */
function withChosen(brands: Brands, chosen: readonly string[]): readonly { brand: string; count: number }[] {
  const keys = new Set(brands.map(({ brand }) => keyOf(brand)))
  const missing = chosen.filter((brand) => !keys.has(keyOf(brand)))
  return [...missing.map((brand) => ({ brand, count: 0 })), ...brands]
}

/** What brands are compared by, as on the server: each list shows one of the ways in which its sellers write a brand. */
function keyOf(brand: string): string {
  const words = folded(brand.normalize('NFKC')).split(/[^\p{L}\p{N}]+/u)
  return words.filter((word) => word !== '').join(' ')
}

const FindField = styled(Input)`
  min-height: ${space(10)};
  margin: ${space(1)} 0 ${space(2)};
`

const List = styled.ul<{ $scrolls: boolean }>`
  ${({ $scrolls }) =>
    $scrolls &&
    `max-height: ${space(90)}; margin: 0 -${space(2)}; padding: 0 ${space(2)}; overflow-y: auto; overscroll-behavior: contain;`}
`

const Nothing = styled.p`
  padding: ${space(2)} 0;
  color: ${color.muted};
  font-size: ${text.small};
`

const Toggle = styled(Button)`
  margin-left: -${space(3)};
`

const Coming = styled.div`
  display: grid;
  gap: ${space(5)};
  padding: ${space(2.5)} 0;
`
