import { type BoostPayment, boostRoutes, type PaymentStatus } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { useEffect, useMemo, useRef, useState } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { sentenceInPageLanguage } from '../../../i18n/in-page-language.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, from, space, text, weight } from '../../../theme/theme.ts'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { LoadFailure } from '../../../ui/LoadFailure.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { Status } from '../../../ui/Status.tsx'
import { showToast } from '../../../ui/toast-store.ts'
import type { usePayments } from './api.ts'
import { keepPaying, trackCheckout } from './paid-boost.ts'

/** Every order of a boost: one that waits can be paid or given up, a paid one has a receipt. */
export function BoostPayments({ list }: { list: ReturnType<typeof usePayments> }) {
  const { t } = useTranslation()
  const { payments, error, hasMore, isLoadingMore, showMore, reload } = list
  const [leaving, setLeaving] = useState<BoostPayment | null>(null)
  const pay = usePay(reload)
  const columns = useMemo(() => columnsOf(t, pay, setLeaving), [t, pay])
  return (
    <Section aria-labelledby="boost-payments">
      <Title id="boost-payments">{t('boost.payments.title')}</Title>
      <Intro>{t(payments?.length === 0 ? 'boost.payments.none' : 'boost.payments.text')}</Intro>
      {error && !payments ? (
        <LoadFailure heading="h3" onRetry={reload}>
          {shownMessage(error)}
        </LoadFailure>
      ) : (
        payments?.length !== 0 && (
          <DataTable
            caption={t('boost.payments.title')}
            columns={columns}
            rows={payments}
            keyOf={({ id }) => id}
            skeletons={2}
            isWide
          />
        )
      )}
      {hasMore && <ShowMore failure={error && shownMessage(error)} isBusy={isLoadingMore} onPress={showMore} />}
      {leaving && <GiveUp payment={leaving} onClose={() => setLeaving(null)} onChange={reload} />}
    </Section>
  )
}

const tones = { pending: 'warn', paid: 'ok', failed: 'live', cancelled: 'muted' } as const satisfies Record<
  PaymentStatus,
  string
>

function columnsOf(
  t: Translate,
  pay: (payment: BoostPayment) => void,
  giveUp: (payment: BoostPayment) => void,
): readonly Column<BoostPayment>[] {
  return [
    {
      key: 'boost',
      head: t('boost.payments.boost'),
      isTitle: true,
      cell: ({ packageName, products }) => (
        <>
          {sentenceInPageLanguage(packageName)}
          <Small>{products.map(({ name }) => name).join(', ')}</Small>
        </>
      ),
    },
    { key: 'ordered', head: t('boost.payments.ordered'), cell: ({ createdAt }) => formatDateTime(createdAt) },
    {
      key: 'bill',
      head: t('boost.payments.bill'),
      isText: true,
      cell: ({ billId }) => billId ?? t('boost.payments.unknown'),
    },
    {
      key: 'channel',
      head: t('boost.payments.channel'),
      cell: ({ paymentChannel }) => paymentChannel ?? t('boost.payments.unknown'),
    },
    {
      key: 'amount',
      head: t('boost.payments.amount'),
      isNumber: true,
      cell: ({ amount }) => formatRinggit(ringgitFromSen(amount)),
    },
    { key: 'state', head: t('boost.payments.state'), cell: (payment) => <Standing payment={payment} /> },
    {
      key: 'actions',
      head: t('boost.payments.actions'),
      isButton: true,
      cell: (payment) => <Actions payment={payment} onPay={pay} onGiveUp={giveUp} />,
    },
  ]
}

function Standing({ payment: { status, expiresAt, products } }: { payment: BoostPayment }) {
  const { t } = useTranslation()
  const caseCount = products.filter(({ state }) => state === 'case').length
  return (
    <>
      <Status tone={tones[status]}>{t(`boost.payments.states.${status}`)}</Status>
      {status === 'pending' && <Small>{t('boost.payments.until', { time: formatDateTime(expiresAt) })}</Small>}
      {status === 'paid' && products.some(({ state }) => state === 'waiting') && (
        <Small>{t('boost.payments.activating')}</Small>
      )}
      {caseCount > 0 && <Small>{t('boost.payments.hasCase', { count: caseCount })}</Small>}
    </>
  )
}

function Actions({
  payment,
  onPay,
  onGiveUp,
}: {
  payment: BoostPayment
  onPay: (payment: BoostPayment) => void
  onGiveUp: (payment: BoostPayment) => void
}) {
  const { t } = useTranslation()
  const { id, orderId, status } = payment
  if (status === 'paid') {
    return (
      <ButtonLink
        tone="secondary"
        size="small"
        to={paths.boostReceipt(orderId)}
        aria-label={t('boost.payments.receiptOf', { id })}
      >
        {t('boost.payments.receipt')}
      </ButtonLink>
    )
  }
  if (status !== 'pending') return null
  return (
    <Pair>
      <Button size="small" aria-label={t('boost.payments.payOf', { id })} onClick={() => onPay(payment)}>
        {t('boost.payments.pay')}
      </Button>
      <Button
        tone="secondary"
        size="small"
        aria-label={t('boost.payments.giveUpOf', { id })}
        onClick={() => onGiveUp(payment)}
      >
        {t('boost.payments.giveUp')}
      </Button>
    </Pair>
  )
}

/** Leads to where an order is paid; one at a time. */
function usePay(onChange: () => void): (payment: BoostPayment) => void {
  const { t } = useTranslation()
  const isUnderWay = useRef(false)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  return useMemo(() => {
    const pay = async (payment: BoostPayment) => {
      if (isUnderWay.current) return
      isUnderWay.current = true
      showToast({ title: t('boost.processing'), description: t('boost.processingText') })
      const { orderId, packageName, packageType, boostOptionId, featureDuration, amount } = payment
      const bought = { packageId: boostOptionId, packageName, amountSen: amount }
      trackCheckout(bought)
      try {
        const { paymentUrl } = await call(boostRoutes.payOrder, { params: { orderId } })
        keepPaying({ ...bought, orderId, packageType, durationHours: featureDuration })
        window.location.assign(paymentUrl)
      } catch (error) {
        showToast({ title: t('boost.orderError'), description: shownMessage(error), tone: 'destructive' })
        latest.current()
      } finally {
        isUnderWay.current = false
      }
    }
    return (payment) => void pay(payment)
  }, [t])
}

function GiveUp({
  payment: { orderId },
  onClose,
  onChange,
}: {
  payment: BoostPayment
  onClose: () => void
  onChange: () => void
}) {
  const { t } = useTranslation()
  const [isBusy, setIsBusy] = useState(false)
  const giveUp = async () => {
    setIsBusy(true)
    try {
      await call(boostRoutes.cancelOrder, { params: { orderId } })
      showToast({ title: t('boost.payments.givenUp') })
    } catch (error) {
      showToast({ title: t('boost.orderError'), description: shownMessage(error), tone: 'destructive' })
    }
    onChange()
    onClose()
  }
  return (
    <Confirm
      title={t('boost.payments.question')}
      words={t('boost.payments.questionText')}
      confirmLabel={t('boost.payments.giveUp')}
      cancelLabel={t('boost.payments.keep')}
      busy={isBusy}
      onConfirm={() => void giveUp()}
      onCancel={onClose}
    />
  )
}

const Section = styled.section`
  margin-top: ${space(12)};
`

const Title = styled.h2`
  font-size: ${text.title};
`

const Intro = styled.p`
  margin: ${space(2)} 0 ${space(4)};
  color: ${color.muted};
`

const Small = styled.span`
  display: block;
  color: ${color.muted};
  font-size: ${text.small};
  font-weight: ${weight.regular};
`

const Pair = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  justify-content: flex-end;
  ${from.desktop} { justify-content: flex-start; }
`
