import { type AdminOrder, adminRoutes } from '@wangian/contracts/admin.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { Link, useParams } from 'react-router-dom'
import { useApi } from '../../api/use-api.ts'
import { formatDateTime } from '../../lib/date-time.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import { OrderStanding, orderAmount, PersonLink } from './names.tsx'
import { RecordBody, RecordHead, RecordPage } from './RecordPage.tsx'
import { RelatedActivity } from './RelatedRows.tsx'
import { Timeline } from './Timeline.tsx'
import { useOrderActions } from './use-order-actions.tsx'
import { useRefresh } from './use-refresh.ts'
import { useWriteTo } from './use-write-to.ts'

/** All that is known of an order. */
export default function OrderPage() {
  const { t } = useTranslation()
  const orderId = IdParam.safeParse(useParams()['orderId'] ?? '').data
  const query = useApi(adminRoutes.getOrder, { params: { orderId: orderId ?? 0 } }, { revalidateOnMount: true })
  return (
    <RecordPage
      back={{ to: paths.adminDashboard('orders'), label: t('admin.orders.title') }}
      title={t('admin.orderNo', { id: orderId ?? '' })}
      query={query}
      notFound={t('admin.orderNotFound')}
    >
      {(order) => (
        <Loaded
          key={order.id}
          order={order}
          onChanged={(changed) => void query.mutate(changed, { revalidate: false })}
        />
      )}
    </RecordPage>
  )
}

function Loaded({ order, onChanged }: { order: AdminOrder; onChanged: (order: AdminOrder) => void }) {
  const { t } = useTranslation()
  const refresh = useRefresh()
  const ownId = useUser()?.id
  const writeTo = useWriteTo()
  const { actionsOf, dialog } = useOrderActions((changed) => {
    onChanged(changed)
    refresh()
  })
  const { id, user, seller, product } = order
  return (
    <>
      <RecordHead
        title={t('admin.orderNo', { id })}
        standing={<OrderStanding status={order.status} />}
        actions={[
          ...actionsOf(order).filter((action) => 'onSelect' in action),
          {
            label: t('admin.write.buyer'),
            disabled: user.id === ownId || user.username === null,
            onSelect: () => writeTo(user, product, 'aboutOrder'),
          },
          {
            label: t('admin.write.seller'),
            disabled: seller.id === ownId || seller.username === null,
            onSelect: () => writeTo(seller, product),
          },
        ]}
      />
      <RecordBody
        facts={[
          {
            label: t('admin.columns.product'),
            value: <Link to={paths.adminListing(product.id)}>{product.name}</Link>,
          },
          { label: t('admin.columns.total'), value: orderAmount(order.total) },
          { label: t('admin.facts.buyer'), value: <PersonLink person={user} /> },
          { label: t('admin.columns.seller'), value: <PersonLink person={seller} /> },
          { label: t('admin.facts.placed'), value: formatDateTime(order.createdAt) },
          { label: t('admin.facts.changed'), value: formatDateTime(order.updatedAt) },
        ]}
      >
        <RelatedActivity title={t('admin.activity.about')} query={{ targetKind: 'order', targetId: String(id) }} />
        <Timeline kind="order" id={id} people={[user, seller]} />
      </RecordBody>
      {dialog}
    </>
  )
}
