import { IdParam } from '@wangian/contracts/ids.ts'
import type { Order } from '@wangian/contracts/messaging.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { ArrowLeft, Printer } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'react-router-dom'
import { createGlobalStyle, styled } from 'styled-components'
import { isApiError, shownMessage } from '../../api/api-error.ts'
import { formatDateTime } from '../../lib/dates.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import { schemeProperties } from '../../theme/global-style.ts'
import { color, font, radius, space, text, weight } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ChatLink } from './ChatLink.tsx'
import { OrderStanding, useNextStep } from './OrderStanding.tsx'
import { type Side, useOrder } from './orders.ts'

/** One order on one sheet, for the screen and for paper. */
export default function ReceiptPage() {
  const { t } = useTranslation()
  const orderId = IdParam.safeParse(useParams()['orderId'] ?? '').data
  return (
    <Sheet>
      <title>{`${t('orders.receipt')} · ${t('shell.brand')}`}</title>
      {orderId === undefined ? <NotFound /> : <LoadedReceipt orderId={orderId} />}
    </Sheet>
  )
}

function LoadedReceipt({ orderId }: { orderId: number }) {
  const { t } = useTranslation()
  const { data, error, mutate } = useOrder(orderId)
  if (data) return <Receipt order={data} />
  if (isApiError(error, 'order-not-found')) return <NotFound />
  if (error) {
    return (
      <EmptyState
        heading="h1"
        title={t('problem.loadTitle')}
        action={<Button onClick={() => void mutate()}>{t('problem.tryAgain')}</Button>}
      >
        {shownMessage(error)}
      </EmptyState>
    )
  }
  return (
    <Paper role="status" aria-label={t('shell.loading')}>
      <Skeleton $width="40%" $height={space(9)} />
      <Skeleton $height={space(40)} />
      <Skeleton $height={space(24)} />
    </Paper>
  )
}

function Receipt({ order }: { order: Order }) {
  const { t } = useTranslation()
  const side: Side = useUser()?.id === order.seller.id ? 'sold' : 'bought'
  const next = useNextStep(order, side)
  const [item] = order.items
  const nameOf = ({ username }: Order['buyer']) => username ?? t('person.deleted')
  const moment = (label: string, instant: string | null) =>
    instant === null ? [] : [{ label, value: formatDateTime(instant) }]
  return (
    <>
      <PrintStyle />
      <Bar>
        <Back to={paths.orders(side)}>
          <ArrowLeft size={18} strokeWidth={1.5} aria-hidden />
          {t('orders.back')}
        </Back>
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
      </Bar>
      <Paper as="article">
        <Head>
          <Title>{t('orders.receipt')}</Title>
          <Brand>{t('shell.brand')}</Brand>
        </Head>
        <Facts
          facts={[
            { label: t('orders.orderNumber'), value: t('orders.number', { id: order.id }) },
            { label: t('orders.buyer'), value: nameOf(order.buyer) },
            { label: t('orders.seller'), value: nameOf(order.seller) },
            ...moment(t('orders.ordered'), order.createdAt),
            ...moment(t('orders.paid'), order.paidAt),
            ...moment(t('orders.delivered'), order.deliveredAt),
            { label: t('orders.state'), value: <OrderStanding order={order} /> },
          ]}
        />
        {next && <Next>{next}</Next>}
        <Items>
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
        </Items>
        <Note>{t(order.status === 'cancelled' ? 'orders.noteCancelled' : 'orders.note')}</Note>
      </Paper>
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

/** On paper there is the sheet alone, in dark ink whatever the screen shows. */
const PrintStyle = createGlobalStyle`
  @media print {
    :root, :root[data-scheme] { ${schemeProperties('light')} }
    html, body { background: none; }
    #root > :not(main) { display: none !important; }
    #root, main { min-height: 0 !important; }
    @page { margin: 20mm; }
  }
`

const Sheet = styled(Page)`
  max-width: ${space(180)};
  @media print { padding: 0; }
`

const Bar = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  align-items: center;
  margin-bottom: ${space(6)};
  @media print { display: none; }
`

const Back = styled(Link)`
  display: inline-flex;
  gap: ${space(2)};
  align-items: center;
  min-height: ${space(11)};
  margin-right: auto;
`

const Paper = styled.div`
  display: grid;
  gap: ${space(6)};
  padding: ${space(8)} ${space(6)};
  border: 1px solid ${color.line};
  border-top: 3px solid ${color.accent};
  border-radius: ${radius.small};
  background: ${color.surface};
  @media print { padding: 0; border: 0; }
`

const Head = styled.div`
  display: flex;
  gap: ${space(4)};
  align-items: baseline;
  justify-content: space-between;
`

const Title = styled.h1`
  font-size: ${text.heading};
`

const Brand = styled.p`
  font-family: ${font.serif};
  font-size: ${text.title};
`

const Next = styled.p`
  color: ${color.muted};
`

const Items = styled.table`
  width: 100%;
  border-collapse: collapse;
  font-variant-numeric: tabular-nums;
  th, td { padding: ${space(3)} 0 ${space(3)} ${space(4)}; text-align: right; vertical-align: top; }
  th:first-child, td:first-child { padding-left: 0; text-align: left; overflow-wrap: anywhere; }
  thead th { color: ${color.muted}; font-size: ${text.small}; font-weight: ${weight.strong}; }
  td:last-child { white-space: nowrap; }
  tbody tr { border-top: 1px dashed ${color.edge}; }
  tfoot tr { border-top: 1px dashed ${color.edge}; font-size: ${text.lead}; font-weight: ${weight.strong}; }
`

const Note = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`
