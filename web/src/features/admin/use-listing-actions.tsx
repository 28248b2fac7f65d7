import { type AdminListing, adminRoutes } from '@wangian/contracts/admin.ts'
import { ExternalLink, Eye, MessageCircle, Trash2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import type { MenuAction } from '../../ui/RowMenu.tsx'
import { ActionDialog } from './actions.tsx'
import { useWriteTo } from './use-write-to.ts'

/** What can be done about a listing, and the question that it opens. */
export function useListingActions(onChanged: (listing: AdminListing) => void): {
  readonly actionsOf: (listing: AdminListing) => readonly MenuAction[]
  readonly dialog: ReactNode
} {
  const { t } = useTranslation()
  const ownId = useUser()?.id
  const writeTo = useWriteTo()
  const [listing, setListing] = useState<AdminListing | null>(null)
  const actionsOf = useMemo(() => {
    const icon = { size: 18, strokeWidth: 1.5, 'aria-hidden': true } as const
    return (listing: AdminListing): readonly MenuAction[] => {
      const { id, name, seller, status } = listing
      const isRemoved = status === 'removed'
      return [
        { label: t('admin.view'), icon: <Eye {...icon} />, to: paths.adminListing(id) },
        ...(isRemoved
          ? []
          : [{ label: t('admin.seePublic'), icon: <ExternalLink {...icon} />, to: paths.product(id) }]),
        {
          label: t('admin.write.seller'),
          icon: <MessageCircle {...icon} />,
          disabled: seller.id === ownId || seller.username === null,
          onSelect: () => writeTo(seller, { id, name }),
        },
        {
          label: t('admin.remove.name'),
          icon: <Trash2 {...icon} />,
          tone: 'danger',
          disabled: isRemoved,
          onSelect: () => setListing(listing),
        },
      ]
    }
  }, [t, ownId, writeTo])
  if (listing === null) return { actionsOf, dialog: null }
  const params = { productId: listing.id }
  return {
    actionsOf,
    dialog: (
      <ActionDialog<AdminListing>
        question={{
          title: t('admin.remove.title'),
          words: t('admin.remove.text', { name: listing.name }),
          confirm: t('admin.remove.confirm'),
          isReasonRequired: true,
          reasonHelp: t('admin.remove.reasonHelp'),
        }}
        deed={{
          run: async (reason) => {
            await call(adminRoutes.removeListing, { params, body: { reason: reason ?? '' } })
            return {
              ...listing,
              status: 'removed',
              removal: { at: new Date(serverNow()).toISOString(), by: 'admin', reason },
            }
          },
          reread: () => call(adminRoutes.getListing, { params }),
          onChanged: (changed) => changed && onChanged(changed),
          standing: { before: listing.status, of: ({ status }) => status },
          done: t('admin.remove.done'),
        }}
        onClose={() => setListing(null)}
      />
    ),
  }
}
