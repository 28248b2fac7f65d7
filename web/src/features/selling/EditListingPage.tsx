import type { Auction } from '@wangian/contracts/auction.ts'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router-dom'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Page, PageIntro, PageTitle } from '../../ui/Page.tsx'
import { draftKeyOf, editForm } from './draft-store.ts'
import { ListingForm } from './ListingForm.tsx'
import { savedAuctionOf, savedProductOf, valuesOf } from './listing-values.ts'
import { type Loaded, OwnListingLoader } from './OwnListingLoader.tsx'
import type { Subject } from './use-listing-form.ts'

/** A listing and, while nobody has bid, the terms of its auction. */
export default function EditListingPage() {
  const { t } = useTranslation()
  return (
    <OwnListingLoader>
      {(listing) => (
        <Page>
          <title>{`${t('sell.titles.edit')} · ${t('shell.brand')}`}</title>
          <PageTitle>{t('sell.titles.edit')}</PageTitle>
          <PageIntro>{t('sell.intros.edit')}</PageIntro>
          <EditListing key={`${listing.product.id} ${listing.readAtMs}`} listing={listing} />
        </Page>
      )}
    </OwnListingLoader>
  )
}

function EditListing({ listing }: { listing: Loaded }) {
  const { product, sellerId, reload } = listing
  const [subject] = useState(() => subjectOf(listing))
  return (
    <ListingForm
      sellerId={sellerId}
      doing="edit"
      subject={subject}
      images={product.images}
      notice={<AuctionNotice listing={listing} subject={subject} />}
      onFrozen={reload}
    />
  )
}

/** Why something cannot be changed. */
function AuctionNotice({ listing, subject }: { listing: Loaded; subject: Subject }): ReactNode {
  const { t } = useTranslation()
  if (subject.kind === 'fixed' || (subject.hasTerms && !subject.isFrozen)) return null
  if (subject.isFrozen) {
    return (
      <Notice tone="warn" title={t('sell.locked.bidsTitle')}>
        {t('sell.locked.bidsText')}
      </Notice>
    )
  }
  const what = listing.auction === 'missing' ? 'noAuction' : 'ended'
  return (
    <Notice title={t(`sell.locked.${what}Title`)}>
      <p>{t(`sell.locked.${what}Text`)}</p>
      <Link to={paths.relistProduct(listing.product.id)}>{t('sell.locked.relist')}</Link>
    </Notice>
  )
}

function subjectOf({ product, auction: found, sellerId, readAtMs }: Loaded): Subject {
  const auction = typeof found === 'string' ? null : found
  const isOpen = auction !== null && isRunning(auction)
  const isFrozen = isOpen && auction.bidCount > 0
  const hasTerms = isOpen && !isFrozen
  return {
    kind: product.listingType === 'auction' ? 'auction' : 'fixed',
    draftKey: draftKeyOf(sellerId, editForm(product.id)),
    values: valuesOf(product, auction, readAtMs),
    progress: {
      productId: product.id,
      savedProduct: savedProductOf(product),
      auctionId: isOpen ? auction.id : null,
      savedAuction: isOpen ? savedAuctionOf(auction) : null,
    },
    knownImageIds: product.images.map(({ id }) => id),
    isFrozen,
    hasTerms,
    startedAt: auction?.status === 'active' ? auction.startsAt : null,
    hadExpired: false,
  }
}

/** As the server saw it when it was read: its clock decides. */
export function isRunning({ status }: Auction): boolean {
  return status === 'active' || status === 'scheduled'
}
