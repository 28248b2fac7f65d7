import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { useClockOffset } from '../../lib/server-clock.ts'
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
  // The first answer that says the server's time may come after the form.
  const offsetMs = useClockOffset()
  const subject = useMemo(() => newSubject(sellerId, kind, Date.now() + offsetMs), [sellerId, kind, offsetMs])
  return <ListingForm sellerId={sellerId} doing={kind} subject={subject} images={noImages} />
}

function newSubject(sellerId: number, kind: ListingKind, nowMs: number): Subject {
  return {
    kind,
    draftKey: draftKeyOf(sellerId, `new-${kind}`),
    values: emptyValues(nowMs),
    progress: {},
    knownImageIds: [],
    isFrozen: false,
    hasTerms: kind === 'auction',
    startedAt: null,
    hadExpired: false,
  }
}

const noImages = [] as const

const Other = styled.p`
  margin-top: ${space(3)};
`
