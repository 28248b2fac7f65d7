import type { Order } from '@wangian/contracts/messaging.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { Package } from 'lucide-react'
import { Link, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { formatDay } from '../../lib/dates.ts'
import { imageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, font, from, phone, radius, space, text, weight } from '../../theme/theme.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { Picture } from '../../ui/Picture.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tab, TabGroup, TabList, TabPanel } from '../../ui/Tabs.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { ChatLink } from './ChatLink.tsx'
import { isWaitingFor, OrderStanding, useNextStep } from './OrderStanding.tsx'
import { type Side, useOrders } from './orders.ts'

const sides = ['bought', 'sold'] as const

/** What somebody has bought and sold; the address says which of it is shown. */
export default function OrdersPage() {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const side: Side = query.get('show') === 'sold' ? 'sold' : 'bought'
  return (
    <>
      <VisuallyHidden as="h2">{t('account.tabs.orders')}</VisuallyHidden>
      <TabGroup
        value={side}
        onValueChange={(next: Side) =>
          setQuery(next === 'sold' ? { show: next } : {}, { replace: true, preventScrollReset: true })
        }
      >
        <TabList aria-label={t('account.tabs.orders')}>
          {sides.map((each) => (
            <Tab key={each} value={each}>
              {t(`orders.sides.${each}`)}
            </Tab>
          ))}
        </TabList>
        {sides.map((each) => (
          <TabPanel key={each} value={each}>
            {/* The one that is left still stands for a moment, and must not ask again. */}
            {each === side && <Orders side={each} />}
          </TabPanel>
        ))}
      </TabGroup>
    </>
  )
}

function Orders({ side }: { side: Side }) {
  const { orders, error, hasMore, isLoadingMore, showMore, reload } = useOrders(side)
  if (error && !orders) {
    return (
      <LoadFailure heading="h3" tone="secondary" onRetry={reload}>
        {shownMessage(error)}
      </LoadFailure>
    )
  }
  if (orders?.length === 0) return <NoOrders side={side} />
  return (
    <>
      <ul aria-busy={orders === undefined || undefined}>
        {orders?.map((order) => <OrderItem key={order.id} order={order} side={side} />) ?? <Coming />}
      </ul>
      {hasMore && <ShowMore failure={error && shownMessage(error)} isBusy={isLoadingMore} onPress={showMore} />}
    </>
  )
}

function NoOrders({ side }: { side: Side }) {
  const { t } = useTranslation()
  const isSold = side === 'sold'
  return (
    <EmptyState
      heading="h3"
      icon={<Package size={32} strokeWidth={1.5} />}
      title={t(isSold ? 'orders.noneSold' : 'account.noOrders')}
      action={
        isSold ? (
          <ButtonLink to={paths.sellerDashboard()}>{t('menu.sellerDashboard')}</ButtonLink>
        ) : (
          <ButtonLink to={paths.products()}>{t('account.browse')}</ButtonLink>
        )
      }
    >
      {t(isSold ? 'orders.noneSoldText' : 'account.noOrdersText')}
    </EmptyState>
  )
}

function OrderItem({ order, side }: { order: Order; side: Side }) {
  const { t } = useTranslation()
  const next = useNextStep(order, side)
  const isMine = isWaitingFor(order.waiting, side)
  const other = side === 'bought' ? order.seller : order.buyer
  const name = other.username ?? t('person.deleted')
  const [item] = order.items
  return (
    <Item>
      <Thumb>
        <Picture src={imageSource(item?.imageUrl)} alt="" sizes="80px" />
      </Thumb>
      <div>
        {order.items.map(({ productId, name: product, isRemoved }) => (
          <Name key={productId}>
            {isRemoved ? (
              t('messages.removedProduct', { product })
            ) : (
              <Link to={paths.product(productId)}>{product}</Link>
            )}
          </Name>
        ))}
        <Small>
          {t('orders.number', { id: order.id })} · {formatDay(order.createdAt)} ·{' '}
          {t(side === 'bought' ? 'orders.soldBy' : 'orders.boughtBy', { name })}
        </Small>
        <Standing>
          <OrderStanding order={order} />
          {next && <Next $isMine={isMine}>{next}</Next>}
        </Standing>
      </div>
      <Total>{formatRinggit(order.total)}</Total>
      <Actions>
        <ChatLink
          user={other}
          product={item ? { id: item.productId, name: item.name } : null}
          size="small"
          tone={isMine ? 'primary' : 'secondary'}
          aria-label={t('orders.openChatWith', { name })}
        >
          {t('orders.openChat')}
        </ChatLink>
        <ButtonLink
          size="small"
          tone="secondary"
          to={paths.order(order.id)}
          aria-label={t('orders.receiptOf', { id: order.id })}
        >
          {t('orders.receipt')}
        </ButtonLink>
      </Actions>
    </Item>
  )
}

function Coming() {
  return [0, 1, 2].map((place) => (
    <Item key={place} aria-hidden>
      <Skeleton $ratio="4 / 5" />
      <div>
        <Skeleton $width="50%" $height={space(6)} />
        <Skeleton $width="80%" $height={space(4)} />
      </div>
    </Item>
  ))
}

const Item = styled.li`
  display: grid;
  grid-template-columns: ${space(16)} minmax(0, 1fr);
  gap: ${space(2)} ${space(4)};
  padding: ${space(5)} 0;
  & + & { border-top: 1px solid ${color.line}; }
  & > div { display: grid; gap: ${space(1)}; align-content: start; }
  ${from.tablet} { grid-template-columns: ${space(20)} minmax(0, 1fr) auto auto; gap: ${space(6)}; align-items: start; }
`

const Thumb = styled.span`
  overflow: hidden;
  border-radius: ${radius.small};
  ${phone} { grid-row: span 2; align-self: start; }
`

const Name = styled.h3`
  font-family: ${font.serif};
  font-size: ${text.lead};
  overflow-wrap: anywhere;
`

const Small = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
  overflow-wrap: anywhere;
`

const Standing = styled.div`
  margin-top: ${space(1)};
`

const Next = styled.p<{ $isMine: boolean }>`
  color: ${({ $isMine }) => ($isMine ? color.ink : color.muted)};
  font-weight: ${({ $isMine }) => ($isMine ? weight.strong : weight.regular)};
`

const Total = styled.p`
  font-size: ${text.lead};
  font-variant-numeric: tabular-nums;
  font-weight: ${weight.strong};
  white-space: nowrap;
  ${from.tablet} { min-width: ${space(28)}; text-align: right; }
`

const Actions = styled.div`
  &&& { display: flex; gap: ${space(2)}; }
  ${phone} { grid-column: 1 / -1; & > a { flex: 1; } }
  ${from.tablet} { &&& { flex-direction: column; } }
`
