import { useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { serverNow } from '../../lib/server-clock.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import { space } from '../../theme/theme.ts'
import { Page, PageIntro, PageTitle } from '../../ui/Page.tsx'
import { draftKeyOf } from './draft-store.ts'
import { ListingForm } from './ListingForm.tsx'
import { emptyValues, type ListingKind } from './listing-values.ts'
import type { Subject } from './use-listing-form.ts'

/** A new listing: a perfume with its price, or with the terms of its auction. */
export default function NewListingPage() {
  const { t } = useTranslation()
  const user = useUser()
  const [search] = useSearchParams()
  const kind = search.get('type') === 'auction' ? 'auction' : 'fixed'
  const other = kind === 'auction' ? 'fixed' : 'auction'
  if (!user) return null
  return (
    <Page>
      <title>{`${t(`sell.titles.${kind}`)} · ${t('shell.brand')}`}</title>
      <PageTitle>{t(`sell.titles.${kind}`)}</PageTitle>
      <PageIntro>{t(`sell.intros.${kind}`)}</PageIntro>
      <Other>
        <Link to={paths.newProduct(other)}>{t(`sell.otherKind.${other}`)}</Link>
      </Other>
      <NewListing key={`${user.id} ${kind}`} sellerId={user.id} kind={kind} />
    </Page>
  )
}

function NewListing({ sellerId, kind }: { sellerId: number; kind: ListingKind }) {
  const [subject] = useState<Subject>(() => ({
    kind,
    draftKey: draftKeyOf(sellerId, `new-${kind}`),
    values: emptyValues(serverNow()),
    progress: {},
    knownImageIds: [],
    isFrozen: false,
    hasTerms: kind === 'auction',
    startedAt: null,
    hadExpired: false,
  }))
  return <ListingForm sellerId={sellerId} doing={kind} subject={subject} images={noImages} />
}

const noImages = [] as const

const Other = styled.p`
  margin-top: ${space(3)};
`
