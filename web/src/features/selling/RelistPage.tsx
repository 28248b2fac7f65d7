import { type ReactNode, useState } from 'react'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { Page, PageIntro, PageTitle } from '../../ui/Page.tsx'
import { draftKeyOf, relistForm } from './draft-store.ts'
import { isRunning } from './EditListingPage.tsx'
import { ListingForm } from './ListingForm.tsx'
import { isExpired, savedProductOf, valuesOf } from './listing-values.ts'
import { type Loaded, OwnListingLoader, Problem } from './OwnListingLoader.tsx'
import type { Subject } from './use-listing-form.ts'

/** Another auction for what was not sold by the last one. */
export default function RelistPage() {
  const { t } = useTranslation()
  return (
    <OwnListingLoader>
      {(listing) => (
        <Relistable key={`${listing.product.id} ${listing.readAtMs}`} listing={listing}>
          <title>{`${t('sell.titles.relist')} · ${t('shell.brand')}`}</title>
        </Relistable>
      )}
    </OwnListingLoader>
  )
}

function Relistable({ listing, children }: { listing: Loaded; children: ReactNode }) {
  const { t } = useTranslation()
  const { product, auction, sellerId, reload } = listing
  const [subject] = useState(() => subjectOf(listing))
  const toEdit = <ButtonLink to={paths.editProduct(product.id)}>{t('sell.locked.edit')}</ButtonLink>
  if (product.listingType !== 'auction') {
    return <Problem title={t('sell.locked.notAnAuction')} text={t('sell.locked.notAnAuctionText')} action={toEdit} />
  }
  if (auction !== null && typeof auction === 'object' && isRunning(auction)) {
    return <Problem title={t('sell.locked.running')} text={t('sell.locked.runningText')} action={toEdit} />
  }
  return (
    <Page>
      {children}
      <PageTitle>{t('sell.titles.relist')}</PageTitle>
      <PageIntro>{t('sell.intros.relist')}</PageIntro>
      <ListingForm sellerId={sellerId} doing="relist" subject={subject} images={product.images} onFrozen={reload} />
    </Page>
  )
}

function subjectOf({ product, auction: found, sellerId, readAtMs }: Loaded): Subject {
  const last = typeof found === 'string' ? null : found
  return {
    kind: 'auction',
    draftKey: draftKeyOf(sellerId, relistForm(product.id)),
    values: valuesOf(product, last, readAtMs),
    // None runs: whichever a draft has opened is over.
    progress: {
      productId: product.id,
      savedProduct: savedProductOf(product),
      auctionId: null,
      savedAuction: null,
    },
    knownImageIds: product.images.map(({ id }) => id),
    isFrozen: false,
    hasTerms: true,
    startedAt: null,
    hadExpired: last !== null && isExpired(last, readAtMs),
  }
}
