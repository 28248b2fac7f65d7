import type { BoostPackage } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { styled } from 'styled-components'
import { sentenceInPageLanguage } from '../../../i18n/in-page-language.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, from, phone, radius, space, text, weight, width } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Facts } from '../../../ui/Facts.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useChosenProducts, useWaitingPayments } from './api.ts'
import { areSameProducts } from './checkout.ts'
import { useCheckout } from './use-checkout.ts'

/** What is bought, and the way to pay it. */
export function SummaryStep({
  chosen,
  productIds,
  onBack,
}: {
  chosen: BoostPackage | undefined
  productIds: readonly number[]
  onBack: () => void
}) {
  const { t } = useTranslation()
  const { products: selected, error, isValidating, mutate } = useChosenProducts(productIds)
  const { waiting, reload } = useWaitingPayments()
  const { isBusy, checkOut } = useCheckout(reload)
  if (error && !selected && !isValidating) {
    return (
      <EmptyState
        title={t('boost.productsFailed')}
        action={<Button onClick={() => void mutate()}>{t('problem.tryAgain')}</Button>}
      />
    )
  }
  if (!chosen || !selected) {
    return (
      <Frame aria-busy>
        <Skeleton $height={space(8)} $width="50%" />
        <Skeleton $height={space(48)} />
      </Frame>
    )
  }
  const goneCount = productIds.length - selected.length
  const order = waiting.find(
    (payment) => payment.boostOptionId === chosen.id && areSameProducts(payment.productIds, productIds),
  )
  const elsewhere = order ? [] : selected.filter(({ id }) => waiting.some((payment) => payment.productIds.includes(id)))
  const featuredCount = selected.filter(({ is_featured }) => is_featured).length
  return (
    <Frame>
      <Heading>{t('boost.summary')}</Heading>
      <Facts
        facts={[
          { label: t('boost.package'), value: sentenceInPageLanguage(chosen.name) },
          { label: t('boost.duration'), value: sentenceInPageLanguage(chosen.duration_formatted) },
          { label: t('boost.numberOfProducts'), value: chosen.item_count },
        ]}
      />
      <Products>
        {selected.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </Products>
      <Total>
        <span>{t('boost.total')}</span>
        {/* What was ordered is paid as it was ordered, whatever the package costs since. */}
        <span>{formatRinggit(ringgitFromSen(order?.amount ?? chosen.price))}</span>
      </Total>
      {goneCount > 0 && <Notice tone="warn">{t('boost.gone', { count: goneCount })}</Notice>}
      {elsewhere.length > 0 && (
        <Notice tone="warn">{t('boost.waitElsewhere', { names: elsewhere.map(({ name }) => name).join(', ') })}</Notice>
      )}
      {order && <Notice>{t('boost.alreadyOrdered')}</Notice>}
      {featuredCount > 0 && <Notice>{t('boost.extends', { count: featuredCount })}</Notice>}
      <Actions>
        <Button tone="secondary" disabled={isBusy} onClick={onBack}>
          {t('boost.back')}
        </Button>
        <Button
          busy={isBusy}
          busyLabel={t('boost.sending')}
          disabled={goneCount > 0 || elsewhere.length > 0}
          onClick={() => void checkOut(chosen, productIds, order)}
        >
          {t('boost.pay')}
        </Button>
      </Actions>
    </Frame>
  )
}

const Frame = styled.div`
  display: grid;
  gap: ${space(4)};
  max-width: ${width.prose};
  padding: ${space(6)} ${space(5)};
  border: 1px solid ${color.line};
  border-top: 3px solid ${color.accent};
  border-radius: ${radius.small};
  background: ${color.surface};
  ${from.tablet} { padding: ${space(8)}; }
`

const Heading = styled.h2`
  font-size: ${text.title};
`

const Products = styled.ul`
  display: grid;
  gap: ${space(1)};
  margin: 0;
  padding: 0;
  color: ${color.muted};
  overflow-wrap: anywhere;
`

const Total = styled.p`
  display: flex;
  justify-content: space-between;
  padding-top: ${space(4)};
  border-top: 1px dashed ${color.edge};
  font-size: ${text.lead};
  font-variant-numeric: tabular-nums;
  font-weight: ${weight.strong};
`

const Actions = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  ${phone} { & > * { flex: 1; } }
  ${from.tablet} { justify-content: flex-end; }
`
