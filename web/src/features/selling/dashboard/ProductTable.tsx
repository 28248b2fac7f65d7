import { formatRinggit } from '@wangian/contracts/money.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { Ban, Eye, Pencil, RotateCcw, Trash2, Undo2 } from 'lucide-react'
import { memo, useMemo } from 'react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { categoryName } from '../../../cards/category-name.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { picturesOf } from '../../../lib/image-source.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, font, from, radius, space, text } from '../../../theme/theme.ts'
import { Checkbox } from '../../../ui/Choices.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Picture } from '../../../ui/Picture.tsx'
import { type MenuAction, RowMenu } from '../../../ui/RowMenu.tsx'
import { Status } from '../../../ui/Status.tsx'
import { VisuallyHidden } from '../../../ui/VisuallyHidden.tsx'
import { canCancelAuction, canRelease, canRelist, isActive } from './auction-state.ts'
import { stockLevel } from './facts.ts'
import { ProductStanding } from './ProductStanding.tsx'
import { type Ticks, useIsTicked } from './ticks.ts'

/** What was chosen in the menu of a row and needs an answer first. */
export interface ProductAction {
  readonly kind: 'delete' | 'cancel-auction' | 'release-lot'
  readonly product: OwnProduct
}

/** Drawn again only for other products: whoever types in the search or ticks a row does not wait for a thousand others. */
export const ProductTable = memo(function ProductTable({
  products,
  ticks,
  onAction,
}: {
  products: readonly OwnProduct[] | undefined
  ticks: Ticks
  /** Keep it between renders. */
  onAction: (action: ProductAction) => void
}) {
  const { t } = useTranslation()
  const columns = useMemo(() => columnsOf(t, ticks, onAction), [t, ticks, onAction])
  return (
    <DataTable
      caption={t('dashboard.yourProducts')}
      columns={columns}
      rows={products}
      keyOf={(product) => product.id}
      isWide
    />
  )
})

/** A low stock is how a single bottle is sold, and no cause for alarm. */
const stockTones = { low: 'muted', medium: 'muted', good: 'ok' } as const

function columnsOf(
  t: Translate,
  ticks: Ticks,
  onAction: (action: ProductAction) => void,
): readonly Column<OwnProduct>[] {
  const head = (key: Parameters<typeof headKey>[0]) => ({ key, head: t(headKey(key)) })
  return [
    { ...head('boost'), cell: (product) => <Tick product={product} ticks={ticks} /> },
    { ...head('image'), isPicture: true, cell: (product) => <Thumbnail product={product} /> },
    { ...head('name'), isTitle: true, cell: (product) => <Name to={addressOf(product)}>{product.name}</Name> },
    { ...head('brand'), isText: true, isExtra: true, cell: (product) => product.brand },
    { ...head('category'), isText: true, isExtra: true, cell: (product) => categoryName(product, t) },
    { ...head('price'), isNumber: true, cell: (product) => <Amount product={product} /> },
    {
      ...head('stock'),
      isNumber: true,
      cell: ({ stockQuantity, reservedQuantity }) => (
        <Stock>
          {stockQuantity}
          <Status tone={stockTones[stockLevel(stockQuantity)]}>
            {t(`dashboard.stock.${stockLevel(stockQuantity)}`)}
          </Status>
          {reservedQuantity > 0 && <span>{t('dashboard.reservedOf', { count: reservedQuantity })}</span>}
        </Stock>
      ),
    },
    { ...head('status'), cell: (product) => <ProductStanding product={product} /> },
    {
      ...head('actions'),
      isActions: true,
      cell: (product) => (
        <RowMenu label={t('dashboard.actionsFor', { name: product.name })} actions={actionsOf(product, t, onAction)} />
      ),
    },
  ]
}

function headKey<
  Key extends 'boost' | 'image' | 'name' | 'brand' | 'category' | 'price' | 'stock' | 'status' | 'actions',
>(key: Key) {
  return `dashboard.columns.${key}` as const
}

/** Where everybody sees it. */
function addressOf({ id, auction }: OwnProduct): string {
  return auction ? paths.auction(auction.id) : paths.product(id)
}

function actionsOf(
  product: OwnProduct,
  t: Translate,
  onAction: (action: ProductAction) => void,
): readonly MenuAction[] {
  const now = serverNow()
  const icon = { size: 18, strokeWidth: 1.5, 'aria-hidden': true } as const
  return [
    ...(isActive(product)
      ? [{ label: t('dashboard.edit'), icon: <Pencil {...icon} />, to: paths.editProduct(product.id) }]
      : []),
    ...(canRelist(product, now)
      ? [
          {
            label: product.auction ? t('dashboard.relist') : t('dashboard.startAuction'),
            icon: <RotateCcw {...icon} />,
            to: paths.relistProduct(product.id),
          },
        ]
      : []),
    { label: t('dashboard.view'), icon: <Eye {...icon} />, to: addressOf(product) },
    ...(canCancelAuction(product, now)
      ? [
          {
            label: t('dashboard.cancelAuction'),
            icon: <Ban {...icon} />,
            onSelect: () => onAction({ kind: 'cancel-auction', product }),
          },
        ]
      : []),
    ...(canRelease(product, now)
      ? [
          {
            label: t('dashboard.releaseLot'),
            icon: <Undo2 {...icon} />,
            onSelect: () => onAction({ kind: 'release-lot', product }),
          },
        ]
      : []),
    {
      label: t('dashboard.delete'),
      icon: <Trash2 {...icon} />,
      tone: 'danger',
      onSelect: () => onAction({ kind: 'delete', product }),
    },
  ]
}

function Tick({ product, ticks }: { product: OwnProduct; ticks: Ticks }) {
  const { t } = useTranslation()
  const isTicked = useIsTicked(ticks, product.id)
  const canBoost = isActive(product)
  return (
    <Box>
      <Checkbox
        label={
          <VisuallyHidden>
            {t(canBoost ? 'dashboard.tick' : 'dashboard.cannotBoost', { name: product.name })}
          </VisuallyHidden>
        }
        checked={isTicked}
        disabled={!canBoost}
        onChange={() => ticks.toggle(product)}
      />
    </Box>
  )
}

export function Thumbnail({ product }: { product: OwnProduct }) {
  return (
    <Frame>
      <Picture {...picturesOf(product)[0]} alt="" sizes={space(12)} />
    </Frame>
  )
}

/** What lists have: of an auction the current bid, else the starting price. The `price` of an own product is the one of its form. */
export function Amount({ product: { price, auction } }: { product: OwnProduct }) {
  const { t } = useTranslation()
  if (auction?.currentBid == null) return <Price>{formatRinggit(auction?.startingPrice ?? price)}</Price>
  return (
    <>
      <Price>{formatRinggit(auction.currentBid)}</Price>
      <Small>{t(auction.status === 'ended' ? 'dashboard.highestBid' : 'dashboard.currentBid')}</Small>
    </>
  )
}

/** Its words take no room, and so the gap before them. */
const Box = styled.div`
  width: fit-content;
  margin-right: -${space(3)};
`

const Frame = styled.div`
  width: ${space(12)};
  overflow: hidden;
  border-radius: ${radius.small};
`

export const Name = styled(Link)`
  font-family: ${font.serif};
  font-size: ${text.lead};
  line-height: 1.25;
  text-decoration: none;
  &:hover { text-decoration: underline; }
`

const Price = styled.span`
  white-space: nowrap;
`

const Small = styled.span`
  display: block;
  color: ${color.muted};
  font-size: ${text.small};
`

const Stock = styled.span`
  display: inline-flex;
  flex-flow: row-reverse wrap;
  gap: ${space(3)};
  align-items: baseline;
  ${from.desktop} { display: grid; gap: 0; justify-items: end; }
  & > span { color: ${color.muted}; font-size: ${text.small}; }
`
