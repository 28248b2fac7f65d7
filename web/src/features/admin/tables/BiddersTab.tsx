import {
  bidderRoutes,
  SUSPECTED_BIDS_MIN,
  SUSPECTED_SHARE_PERCENT,
  type SuspectedBidder,
} from '@wangian/contracts/bidders.ts'
import { ExternalLink, MessageCircle } from 'lucide-react'
import { useMemo } from 'react'
import { inLanguage } from '../../../i18n/in-language.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { useUser } from '../../../session/use-session.ts'
import type { Column } from '../../../ui/DataTable.tsx'
import { type MenuAction, RowMenu } from '../../../ui/RowMenu.tsx'
import { PersonLink } from '../names.tsx'
import { useWriteTo } from '../use-write-to.ts'
import { TableView } from './TableView.tsx'
import { useTableAddress } from './table-address.ts'
import { pageRows, useTable } from './use-table.ts'

/** Who may bid to drive up prices. What to make of it is for a person to judge. */
export function BiddersTab() {
  const { t } = useTranslation()
  const address = useTableAddress({})
  const table = useTable(bidderRoutes.listSuspectedBidders, { cursor: address.cursor, limit: pageRows })
  const actionsOf = useBidderActions()
  const columns = useMemo(() => columnsOf(t, actionsOf), [t, actionsOf])
  return (
    <TableView
      tab="bidders"
      title={t('admin.bidders.title')}
      intro={t('admin.bidders.intro')}
      count={(count) => t('admin.bidders.count', { count })}
      address={address}
      table={table}
      columns={columns}
      keyOf={({ bidder }) => bidder.id}
      filters={[]}
      empty={{
        title: t('admin.bidders.empty'),
        text: t('admin.bidders.emptyText', { bids: SUSPECTED_BIDS_MIN, percent: SUSPECTED_SHARE_PERCENT }),
      }}
    />
  )
}

/** To the shop in question, and to a word with one of the two. */
function useBidderActions(): (row: SuspectedBidder) => readonly MenuAction[] {
  const { t } = useTranslation()
  const ownId = useUser()?.id
  const writeTo = useWriteTo()
  return useMemo(() => {
    const icon = { size: 18, strokeWidth: 1.5, 'aria-hidden': true } as const
    const writing = (label: string, person: SuspectedBidder['bidder']): MenuAction => ({
      label,
      icon: <MessageCircle {...icon} />,
      disabled: person.id === ownId || person.username === null,
      onSelect: () => writeTo(person),
    })
    return ({ bidder, seller }) => [
      { label: t('admin.seeShop'), icon: <ExternalLink {...icon} />, to: paths.seller(seller.id) },
      writing(t('admin.write.bidder'), bidder),
      writing(t('admin.write.seller'), seller),
    ]
  }, [t, ownId, writeTo])
}

const share = inLanguage(
  (locale) => new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)

function columnsOf(
  t: Translate,
  actionsOf: (row: SuspectedBidder) => readonly MenuAction[],
): readonly Column<SuspectedBidder>[] {
  return [
    {
      key: 'bidder',
      head: t('admin.columns.bidder'),
      isTitle: true,
      cell: ({ bidder }) => <PersonLink person={bidder} />,
    },
    {
      key: 'seller',
      head: t('admin.columns.seller'),
      isText: true,
      cell: ({ seller }) => <PersonLink person={seller} />,
    },
    {
      key: 'bidsOnSeller',
      head: t('admin.columns.bidsOnSeller'),
      isNumber: true,
      cell: ({ bidsOnSeller }) => t('admin.figure', { count: bidsOnSeller }),
    },
    {
      key: 'bidsInAll',
      head: t('admin.columns.bidsInAll'),
      isNumber: true,
      cell: ({ bidsInAll }) => t('admin.figure', { count: bidsInAll }),
    },
    {
      key: 'share',
      head: t('admin.columns.share'),
      isNumber: true,
      cell: ({ sharePercent }) => share().format(sharePercent / 100),
    },
    { key: 'lastBid', head: t('admin.columns.lastBid'), cell: ({ lastBidAt }) => formatDateTime(lastBidAt) },
    {
      key: 'actions',
      head: t('admin.columns.actions'),
      isActions: true,
      cell: (row) => (
        <RowMenu
          label={t('admin.actionsFor', { name: row.bidder.username ?? t('person.deleted') })}
          actions={actionsOf(row)}
        />
      ),
    },
  ]
}
