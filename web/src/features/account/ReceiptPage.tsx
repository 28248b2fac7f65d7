import { IdParam } from '@wangian/contracts/ids.ts'
import type { Order } from '@wangian/contracts/messaging.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { ArrowLeft, Printer } from 'lucide-react'
import { useParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { ReceiptLoader } from '../../cards/ReceiptLoader.tsx'
import { momentFact } from '../../lib/facts.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import { color } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Facts } from '../../ui/Facts.tsx'
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
} from '../../ui/Receipt.tsx'
import { ChatLink } from './ChatLink.tsx'
import { OrderStanding, useNextStep } from './OrderStanding.tsx'
import { type Side, useOrder } from './orders.ts'

/** One order on one sheet, for the screen and for paper. */
export default function ReceiptPage() {
  const { t } = useTranslation()
  const orderId = IdParam.safeParse(useParams()['orderId'] ?? '').data
  return (
    <ReceiptSheet>
      <title>{`${t('orders.receipt')} · ${t('shell.brand')}`}</title>
      {orderId === undefined ? <NotFound /> : <LoadedReceipt orderId={orderId} />}
    </ReceiptSheet>
  )
}

function LoadedReceipt({ orderId }: { orderId: number }) {
  return (
    <ReceiptLoader query={useOrder(orderId)} notFound={<NotFound />}>
      {(order) => <Receipt order={order} />}
    </ReceiptLoader>
  )
}

function Receipt({ order }: { order: Order }) {
  const { t } = useTranslation()
  const side: Side = useUser()?.id === order.seller.id ? 'sold' : 'bought'
  const next = useNextStep(order, side)
  const [item] = order.items
  const nameOf = ({ username }: Order['buyer']) => username ?? t('person.deleted')
  return (
    <>
      <ReceiptPrintStyle />
      <ReceiptBar>
        <ReceiptBack to={paths.orders(side)}>
          <ArrowLeft size={18} strokeWidth={1.5} aria-hidden />
          {t('orders.back')}
        </ReceiptBack>
        <ChatLink
          user={side === 'bought' ? order.seller : order.buyer}
          product={item ? { id: item.productId, name: item.name } : null}
          size="small"
          tone="secondary"
        >
          {t('orders.openChat')}
        </ChatLink>
        <Button size="small" onClick={() => window.print()}>
          <Printer size={16} strokeWidth={1.75} aria-hidden />
          {t('orders.print')}
        </Button>
      </ReceiptBar>
      <ReceiptPaper as="article">
        <ReceiptHead>
          <ReceiptTitle>{t('orders.receipt')}</ReceiptTitle>
          <ReceiptBrand>{t('shell.brand')}</ReceiptBrand>
        </ReceiptHead>
        <Facts
          facts={[
            { label: t('orders.orderNumber'), value: t('orders.number', { id: order.id }) },
            { label: t('orders.buyer'), value: nameOf(order.buyer) },
            { label: t('orders.seller'), value: nameOf(order.seller) },
            ...momentFact(t('orders.ordered'), order.createdAt),
            ...momentFact(t('orders.paid'), order.paidAt),
            ...momentFact(t('orders.delivered'), order.deliveredAt),
            { label: t('orders.state'), value: <OrderStanding order={order} /> },
          ]}
        />
        {next && <Next>{next}</Next>}
        <ReceiptItems>
          <thead>
            <tr>
              <th scope="col">{t('orders.item')}</th>
              <th scope="col">{t('orders.quantity')}</th>
              <th scope="col">{t('orders.price')}</th>
            </tr>
          </thead>
          <tbody>
            {order.items.map(({ productId, name, quantity, price }) => (
              <tr key={productId}>
                <td>{name}</td>
                <td>{quantity}</td>
                <td>{formatRinggit(price)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                {t('orders.total')}
              </th>
              <td>{formatRinggit(order.total)}</td>
            </tr>
          </tfoot>
        </ReceiptItems>
        <ReceiptNote>{t(order.status === 'cancelled' ? 'orders.noteCancelled' : 'orders.note')}</ReceiptNote>
      </ReceiptPaper>
    </>
  )
}

function NotFound() {
  const { t } = useTranslation()
  return (
    <EmptyState
      heading="h1"
      title={t('orders.notFound')}
      action={<ButtonLink to={paths.orders('bought')}>{t('orders.back')}</ButtonLink>}
    >
      {t('orders.notFoundText')}
    </EmptyState>
  )
}

const Next = styled.p`
  color: ${color.muted};
`
