import { type AdminOrder, adminRoutes, orderMoves } from '@wangian/contracts/admin.ts'
import type { OrderStatus } from '@wangian/contracts/messaging.ts'
import { Ban, CircleCheck, Eye, PackageCheck, Truck } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import type { MenuAction } from '../../ui/RowMenu.tsx'
import { ActionDialog } from './actions.tsx'

type Order = Pick<AdminOrder, 'id' | 'status'>

const icon = { size: 18, strokeWidth: 1.5, 'aria-hidden': true } as const
const icons: Readonly<Record<OrderStatus, ReactNode>> = {
  pending: null,
  processing: <CircleCheck {...icon} />,
  shipped: <Truck {...icon} />,
  delivered: <PackageCheck {...icon} />,
  cancelled: <Ban {...icon} />,
}

/** The moves of an order that are offered, and the question that each opens. */
export function useOrderActions(onChanged: (order: AdminOrder) => void): {
  readonly actionsOf: (order: Order) => readonly MenuAction[]
  readonly dialog: ReactNode
} {
  const { t } = useTranslation()
  const [asked, setAsked] = useState<{ readonly to: OrderStatus; readonly order: Order } | null>(null)
  const actionsOf = useMemo(
    () =>
      (order: Order): readonly MenuAction[] => [
        { label: t('admin.view'), icon: <Eye {...icon} />, to: paths.adminOrder(order.id) },
        ...orderMoves[order.status].map((to) => ({
          label: t(`admin.move.${to}.name`),
          icon: icons[to],
          ...(to === 'cancelled' && { tone: 'danger' as const }),
          onSelect: () => setAsked({ to, order }),
        })),
      ],
    [t],
  )
  if (asked === null) return { actionsOf, dialog: null }
  const { to, order } = asked
  const params = { orderId: order.id }
  return {
    actionsOf,
    dialog: (
      <ActionDialog<AdminOrder>
        question={{
          title: t(`admin.move.${to}.title`, { id: order.id }),
          words: t(`admin.move.${to}.text`),
          confirm: t(`admin.move.${to}.confirm`),
          tone: to === 'cancelled' ? 'danger' : 'primary',
        }}
        deed={{
          run: (reason) => call(adminRoutes.moveOrder, { params, body: { status: to, ...(reason && { reason }) } }),
          reread: () => call(adminRoutes.getOrder, { params }),
          onChanged: (changed) => changed && onChanged(changed),
          standing: { before: order.status, of: ({ status }) => status },
          done: t('admin.move.done', { id: order.id }),
        }}
        onClose={() => setAsked(null)}
      />
    ),
  }
}
