import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { Sparkles } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useNow } from '../../../lib/use-now.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, text } from '../../../theme/theme.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { LoadFailure } from '../../../ui/LoadFailure.tsx'
import { useCases, usePayments } from '../boost/api.ts'
import { BoostCases } from '../boost/BoostCases.tsx'
import { BoostPayments } from '../boost/BoostPayments.tsx'
import { BoostResults } from '../boost/BoostResults.tsx'
import { fromDashboard } from '../boost/checkout.ts'
import { type OwnProducts, useOwnProducts, useSummary } from './api.ts'
import { isActive } from './auction-state.ts'
import { boostType, hoursLeft } from './facts.ts'
import { Pages, pageFrom } from './Pages.tsx'
import { Amount, Name, Thumbnail } from './ProductTable.tsx'

const MINUTE_MS = 60_000

/** The products that are boosted now, and until when; what was paid for them, and what came of it. */
export function BoostedTab() {
  const [parameters] = useSearchParams()
  const page = pageFrom(parameters.get('page'))
  const list = useOwnProducts({ status: 'featured' }, page)
  const payments = usePayments()
  const cases = useCases()
  const { mutate: reloadSummary } = useSummary()
  const { reload } = list
  const reloadAll = () => {
    reload()
    void reloadSummary()
  }
  // A payment that has come begins a boost, or opens a case; what was chosen for a case begins one, too.
  useChange(payments.payments?.flatMap(({ products }) => products.map(({ state }) => state)).join(), () => {
    reloadAll()
    cases.reload()
  })
  useChange(cases.cases?.map(({ state }) => state).join(), reloadAll)
  return (
    <>
      <BoostCases list={cases} onChosen={payments.reload} />
      <BoostedProducts list={list} page={page} />
      <BoostResults />
      <BoostPayments list={payments} />
    </>
  )
}

/** Calls when what is known becomes something else. */
function useChange(known: string | undefined, onChange: () => void): void {
  const before = useRef(known)
  useEffect(() => {
    if (before.current !== undefined && before.current !== known) onChange()
    before.current = known
  })
}

function BoostedProducts({ list, page }: { list: OwnProducts; page: number }) {
  const { t } = useTranslation()
  const { products, error, reload } = list
  const columns = useMemo(() => columnsOf(t), [t])
  if (error && !products) {
    return <LoadFailure onRetry={reload}>{shownMessage(error)}</LoadFailure>
  }
  if (products?.length === 0) {
    return (
      <EmptyState
        icon={<Sparkles size={32} strokeWidth={1.5} />}
        title={t('dashboard.boostedTab.empty')}
        action={
          <ButtonLink to={paths.boostCheckout()} state={fromDashboard}>
            {t('dashboard.boostProducts')}
          </ButtonLink>
        }
      >
        {t('dashboard.boostedTab.emptyText')}
      </EmptyState>
    )
  }
  return (
    <>
      <DataTable
        caption={t('dashboard.tabs.boosted')}
        columns={columns}
        rows={products}
        keyOf={(product) => product.id}
        skeletons={3}
        isWide
      />
      <Pages list={list} page={page} tab="boosted" />
    </>
  )
}

function columnsOf(t: Translate): readonly Column<OwnProduct>[] {
  return [
    {
      key: 'image',
      head: t('dashboard.columns.image'),
      isPicture: true,
      cell: (product) => <Thumbnail product={product} />,
    },
    {
      key: 'name',
      head: t('dashboard.columns.name'),
      isTitle: true,
      cell: ({ id, name }) => <Name to={paths.product(id)}>{name}</Name>,
    },
    {
      key: 'price',
      head: t('dashboard.columns.price'),
      isNumber: true,
      cell: (product) => <Amount product={product} />,
    },
    {
      key: 'type',
      head: t('dashboard.columns.boostType'),
      cell: (product) => t(`dashboard.boostedTab.${boostType(product.boost_package_id)}`),
    },
    {
      key: 'until',
      head: t('dashboard.columns.boostedUntil'),
      cell: ({ featuredUntil }) => (featuredUntil ? formatDateTime(featuredUntil) : t('dashboard.boostedTab.noEnd')),
    },
    { key: 'left', head: t('dashboard.columns.timeRemaining'), cell: (product) => <TimeRemaining product={product} /> },
    {
      key: 'renew',
      head: t('dashboard.columns.renew'),
      isButton: true,
      cell: (product) =>
        isActive(product) ? <Renewal product={product} /> : <Hidden>{t('dashboard.boostedTab.reserved')}</Hidden>,
    },
  ]
}

function Renewal({ product: { id, name, boost_package_id } }: { product: OwnProduct }) {
  const { t } = useTranslation()
  return (
    <ButtonLink
      tone="secondary"
      size="small"
      to={paths.boostCheckout({
        products: [id],
        type: boostType(boost_package_id) === 'premium' ? 'premium' : undefined,
      })}
      state={fromDashboard}
      aria-label={t('dashboard.boostedTab.renewFor', { name })}
    >
      {t('dashboard.boostedTab.renew')}
    </ButtonLink>
  )
}

function TimeRemaining({ product: { featuredUntil } }: { product: OwnProduct }) {
  const { t } = useTranslation()
  const now = useNow(MINUTE_MS)
  if (featuredUntil === null) return t('dashboard.boostedTab.noEnd')
  const hours = hoursLeft(featuredUntil, now)
  if (hours === 0) return <Over>{t('dashboard.boostedTab.expired')}</Over>
  return t('dashboard.boostedTab.hours', { count: hours })
}

const Over = styled.span`
  color: ${color.warn};
`

const Hidden = styled.span`
  color: ${color.muted};
  font-size: ${text.small};
`
