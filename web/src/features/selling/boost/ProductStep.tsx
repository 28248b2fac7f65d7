import type { BoostPackage } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import type { BoostableProduct } from '@wangian/contracts/selling.ts'
import { useId, useState } from 'react'
import { styled } from 'styled-components'
import { imageSource } from '../../../lib/image-source.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, from, phone, radius, space, text, weight, width } from '../../../theme/theme.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Choices.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Picture } from '../../../ui/Picture.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useWaitingPayments } from './api.ts'
import { FinderEnd, FinderField } from './ProductFinder.tsx'
import { useProductFinder } from './use-product-finder.ts'

const skeletons = [0, 1, 2, 3, 4]

/** Which products: exactly as many as the package is for. `chosen` is undefined while the packages load. */
export function ProductStep({
  chosen,
  productIds,
  onChange,
  onCancel,
  onContinue,
}: {
  chosen: BoostPackage | undefined
  productIds: readonly number[]
  onChange: (productIds: readonly number[]) => void
  onCancel: () => void
  onContinue: (productIds: readonly number[]) => void
}) {
  const { t } = useTranslation()
  const headingId = useId()
  // The address follows a moment later: a box that waited for it would flicker, and the second of two quick ticks would lose the first.
  const [ticked, setTicked] = useState(productIds)
  const waitingIds = useWaitingPayments().waiting.flatMap((payment) => payment.productIds)
  const finder = useProductFinder<HTMLUListElement>(productIds)
  if (finder.hasFailed) {
    return (
      <EmptyState
        title={t('boost.productsFailed')}
        action={<Button onClick={finder.reload}>{t('problem.tryAgain')}</Button>}
      />
    )
  }
  if (finder.isEmpty) {
    return (
      <EmptyState
        title={t('boost.noProducts')}
        action={<ButtonLink to={paths.sellerDashboard()}>{t('boost.goBack')}</ButtonLink>}
      />
    )
  }
  // What was chosen elsewhere may have been sold since.
  const products = finder.shown
  const selected = ticked.filter((id) => !finder.goneIds.includes(id))
  const goneCount = ticked.length - selected.length
  const count = chosen?.item_count
  const toggle = (id: number) => {
    const next = selected.includes(id) ? selected.filter((each) => each !== id) : [...selected, id]
    setTicked(next)
    onChange(next)
  }
  return (
    <Frame>
      <Head>
        <Heading id={headingId}>
          {count === undefined ? (
            <Skeleton $height={space(8)} $width={space(70)} />
          ) : (
            t('boost.selectProducts', { count })
          )}
        </Heading>
        <Counter role="status">
          {count !== undefined && products && t('boost.counter', { selected: selected.length, count })}
        </Counter>
      </Head>
      {goneCount > 0 && <Notice tone="warn">{t('boost.gone', { count: goneCount })}</Notice>}
      {count !== undefined && selected.length > count && (
        <Notice tone="warn" title={t('boost.mismatch')}>
          {t('boost.countMismatch', { count, selected: selected.length })}
        </Notice>
      )}
      <FinderField finder={finder} />
      <List ref={finder.list} aria-labelledby={headingId} aria-busy={!products || count === undefined || undefined}>
        {products && count !== undefined
          ? products.map((product) => {
              const isSelected = selected.includes(product.id)
              const isWaiting = waitingIds.includes(product.id)
              return (
                <li key={product.id}>
                  <Checkbox
                    label={<ProductLine product={product} />}
                    help={isWaiting ? t('boost.waits') : undefined}
                    checked={isSelected}
                    disabled={!isSelected && (isWaiting || selected.length >= count)}
                    onChange={() => toggle(product.id)}
                  />
                </li>
              )
            })
          : skeletons.map((place) => (
              <li key={place} aria-hidden>
                <SkeletonLine>
                  <Skeleton $height={space(15)} $width={space(12)} />
                  <Skeleton $height={space(5)} $width="60%" />
                </SkeletonLine>
              </li>
            ))}
        {products && count !== undefined && (
          <End>
            <FinderEnd finder={finder} />
          </End>
        )}
      </List>
      <Actions>
        <Button tone="secondary" onClick={onCancel}>
          {t('boost.cancel')}
        </Button>
        <Button disabled={!products || selected.length !== count} onClick={() => onContinue(selected)}>
          {t('boost.continue')}
        </Button>
      </Actions>
    </Frame>
  )
}

function ProductLine({ product }: { product: BoostableProduct }) {
  const { t } = useTranslation()
  return (
    <Line>
      <Thumb>
        <Picture src={imageSource(product.image_url)} alt="" sizes={space(12)} />
      </Thumb>
      <Words>
        <Name>{product.name}</Name>
        {/* Spaces keep the words apart where they are read out. */}{' '}
        <Price>{formatRinggit(ringgitFromSen(product.price))}</Price>{' '}
        {product.is_featured && <Badge $tone="accent">{t('boost.featured')}</Badge>}
      </Words>
    </Line>
  )
}

const Frame = styled.div`
  display: grid;
  gap: ${space(4)};
  max-width: ${width.prose};
`

const Head = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)} ${space(4)};
  align-items: baseline;
  justify-content: space-between;
`

const Heading = styled.h2`
  font-size: ${text.title};
`

const Counter = styled.p`
  min-height: 1.55em;
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
`

const List = styled.ul`
  max-height: 400px;
  margin: 0;
  padding: 0 ${space(4)};
  overflow-y: auto;
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  list-style: none;
  li { padding: ${space(2)} 0; }
  li + li { border-top: 1px solid ${color.line}; }
  label { width: 100%; }
`

const End = styled.li`
  display: grid;
  justify-items: center;
  color: ${color.muted};
  &:empty { display: none; }
`

const Line = styled.span`
  display: flex;
  gap: ${space(4)};
  align-items: center;
`

const SkeletonLine = styled.span`
  display: flex;
  gap: ${space(4)};
  align-items: center;
`

const Thumb = styled.span`
  flex: none;
  width: ${space(12)};
  overflow: hidden;
  border-radius: ${radius.small};
`

const Words = styled.span`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(3)};
  align-items: baseline;
  min-width: 0;
`

const Name = styled.span`
  flex-basis: 100%;
  font-weight: ${weight.strong};
`

const Price = styled.span`
  font-variant-numeric: tabular-nums;
`

const Actions = styled.div`
  display: flex;
  gap: ${space(3)};
  ${phone} { & > * { flex: 1; } }
  ${from.tablet} { justify-content: flex-end; }
`
