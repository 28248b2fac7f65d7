import type { BoostPayment } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { ArrowLeft, Printer } from 'lucide-react'
import { useParams } from 'react-router-dom'
import { z } from 'zod'
import { ReceiptLoader } from '../../../cards/ReceiptLoader.tsx'
import { sentenceInPageLanguage } from '../../../i18n/in-page-language.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { knownFact, momentFact } from '../../../lib/facts.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { useUser } from '../../../session/use-session.ts'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Facts } from '../../../ui/Facts.tsx'
import {
  ReceiptBack,
  ReceiptBar,
  ReceiptBrand,
  ReceiptHead,
  ReceiptItems,
  ReceiptNote,
  ReceiptPaper,
  ReceiptPrintStyle,
  ReceiptSheet,
  ReceiptTitle,
} from '../../../ui/Receipt.tsx'
import { usePayment } from './api.ts'

/** One order of a boost on one sheet, for the screen and for paper. */
export default function BoostReceiptPage() {
  const { t } = useTranslation()
  const orderId = z.uuid().safeParse(useParams()['orderId']).data
  return (
    <ReceiptSheet>
      <title>{`${t('boost.receipt.title')} · ${t('shell.brand')}`}</title>
      {orderId === undefined ? <NotFound /> : <LoadedReceipt orderId={orderId} />}
    </ReceiptSheet>
  )
}

function LoadedReceipt({ orderId }: { orderId: string }) {
  return (
    <ReceiptLoader query={usePayment(orderId)} notFound={<NotFound />}>
      {(payment) => <Receipt payment={payment} />}
    </ReceiptLoader>
  )
}

function Receipt({ payment }: { payment: BoostPayment }) {
  const { t } = useTranslation()
  const { status, products, amount } = payment
  const isPaid = status === 'paid'
  const username = useUser()?.username
  return (
    <>
      <ReceiptPrintStyle />
      <ReceiptBar>
        <ReceiptBack to={paths.sellerDashboard('boosted')}>
          <ArrowLeft size={18} strokeWidth={1.5} aria-hidden />
          {t('boost.receipt.back')}
        </ReceiptBack>
        <Button size="small" onClick={() => window.print()}>
          <Printer size={16} strokeWidth={1.75} aria-hidden />
          {t('boost.receipt.print')}
        </Button>
      </ReceiptBar>
      <ReceiptPaper as="article">
        <ReceiptHead>
          <ReceiptTitle>{t(isPaid ? 'boost.receipt.title' : 'boost.receipt.order')}</ReceiptTitle>
          <ReceiptBrand>{t('shell.brand')}</ReceiptBrand>
        </ReceiptHead>
        <Facts
          facts={[
            { label: t('boost.receipt.number'), value: payment.id },
            { label: t('boost.receipt.orderId'), value: payment.orderId },
            ...knownFact(t('boost.receipt.bill'), payment.billId),
            ...knownFact(t('boost.receipt.transaction'), payment.transactionId),
            ...knownFact(t('boost.receipt.account'), username),
            { label: t('boost.receipt.package'), value: sentenceInPageLanguage(payment.packageName) },
            {
              label: t('boost.receipt.length'),
              value: t('boost.receipt.duration', { count: payment.featureDuration }),
            },
            ...momentFact(t('boost.receipt.ordered'), payment.createdAt),
            ...momentFact(t('boost.receipt.paid'), payment.paidAt),
            ...knownFact(t('boost.receipt.channel'), payment.paymentChannel),
            { label: t('boost.receipt.state'), value: t(`boost.payments.states.${status}`) },
          ]}
        />
        <ReceiptItems>
          <thead>
            <tr>
              <th scope="col">{t('boost.receipt.product')}</th>
              <th scope="col">{t('boost.receipt.boosted')}</th>
              <th scope="col">{t('boost.receipt.amount')}</th>
            </tr>
          </thead>
          <tbody>
            {products.map((product) => (
              <tr key={product.productId}>
                <td>{product.name}</td>
                <td>
                  {product.boostedUntil
                    ? formatDateTime(product.boostedUntil)
                    : t(`boost.receipt.states.${product.state}`)}
                </td>
                <td>{formatRinggit(ringgitFromSen(product.amount))}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                {t('boost.receipt.total')}
              </th>
              <td>{formatRinggit(ringgitFromSen(amount))}</td>
            </tr>
          </tfoot>
        </ReceiptItems>
        <ReceiptNote>{t(isPaid ? 'boost.receipt.note' : 'boost.receipt.noteUnpaid')}</ReceiptNote>
      </ReceiptPaper>
    </>
  )
}

function NotFound() {
  const { t } = useTranslation()
  return (
    <EmptyState
      heading="h1"
      title={t('boost.receipt.notFound')}
      action={<ButtonLink to={paths.sellerDashboard('boosted')}>{t('boost.receipt.back')}</ButtonLink>}
    >
      {t('boost.receipt.notFoundText')}
    </EmptyState>
  )
}
