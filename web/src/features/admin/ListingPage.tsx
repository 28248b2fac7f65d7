import { type AdminListing, adminRoutes } from '@wangian/contracts/admin.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { useParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { useApi } from '../../api/use-api.ts'
import { formatDateTime } from '../../lib/date-time.ts'
import { imageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { radius, space } from '../../theme/theme.ts'
import { Picture } from '../../ui/Picture.tsx'
import { ListingStanding, PersonLink } from './names.tsx'
import { RecordBody, RecordHead, RecordPage } from './RecordPage.tsx'
import { RelatedActivity, RelatedOrders } from './RelatedRows.tsx'
import { Timeline } from './Timeline.tsx'
import { useListingActions } from './use-listing-actions.tsx'
import { useRefresh } from './use-refresh.ts'

/** All that is known of a listing, also of one that was taken away. */
export default function ListingPage() {
  const { t } = useTranslation()
  const productId = IdParam.safeParse(useParams()['productId'] ?? '').data
  const query = useApi(adminRoutes.getListing, { params: { productId: productId ?? 0 } }, { revalidateOnMount: true })
  return (
    <RecordPage
      back={{ to: paths.adminDashboard('listings'), label: t('admin.listings.title') }}
      title={query.data?.name ?? t('admin.tabs.listings')}
      query={query}
      notFound={t('admin.listingNotFound')}
    >
      {(listing) => (
        <Loaded
          key={listing.id}
          listing={listing}
          onChanged={(changed) => void query.mutate(changed, { revalidate: false })}
        />
      )}
    </RecordPage>
  )
}

function Loaded({ listing, onChanged }: { listing: AdminListing; onChanged: (listing: AdminListing) => void }) {
  const { t } = useTranslation()
  const refresh = useRefresh()
  const { actionsOf, dialog } = useListingActions((changed) => {
    onChanged(changed)
    refresh()
  })
  const { id, removal } = listing
  return (
    <>
      <RecordHead
        title={listing.name}
        picture={
          <Frame>
            <Picture src={imageSource(listing.imageUrl)} alt="" sizes={space(20)} />
          </Frame>
        }
        standing={
          <>
            <ListingStanding listing={listing} />
            <span>{t('admin.idOf', { id })}</span>
          </>
        }
        actions={[
          ...actionsOf(listing).filter(
            (action) => 'onSelect' in action && (removal === null || action.tone !== 'danger'),
          ),
          ...(removal === null ? [{ label: t('admin.seePublic'), to: paths.product(id) }] : []),
        ]}
      />
      <RecordBody
        facts={[
          { label: t('admin.columns.brand'), value: listing.brand },
          {
            label: t(listing.listingType === 'auction' ? 'admin.facts.startingPrice' : 'admin.columns.price'),
            value: formatRinggit(listing.price),
          },
          { label: t('admin.facts.type'), value: t(`admin.listingType.${listing.listingType}`) },
          { label: t('admin.columns.seller'), value: <PersonLink person={listing.seller} /> },
          { label: t('admin.facts.listed'), value: formatDateTime(listing.createdAt) },
          ...(removal
            ? [
                { label: t('admin.facts.removed'), value: formatDateTime(removal.at) },
                { label: t('admin.facts.removedBy'), value: t(`admin.removedBy.${removal.by}`) },
                ...(removal.reason === null ? [] : [{ label: t('admin.columns.reason'), value: removal.reason }]),
              ]
            : []),
        ]}
      >
        <RelatedOrders of={{ product: id }} />
        <RelatedActivity title={t('admin.activity.about')} query={{ targetKind: 'listing', targetId: String(id) }} />
        <Timeline kind="listing" id={id} people={[listing.seller]} />
      </RecordBody>
      {dialog}
    </>
  )
}

const Frame = styled.div`
  flex: none;
  width: ${space(20)};
  overflow: hidden;
  border-radius: ${radius.small};
`
