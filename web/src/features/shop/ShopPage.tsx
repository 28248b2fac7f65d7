import { IdParam } from '@wangian/contracts/ids.ts'
import type { Seller } from '@wangian/contracts/shop.ts'
import { Camera, ImagePlus, MapPin, MessageCircle, Pencil } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { isApiError, shownMessage } from '../../api/api-error.ts'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { Rating } from '../../cards/Rating.tsx'
import { ReportButton } from '../../contact/ReportButton.tsx'
import { useContactSeller } from '../../contact/use-contact-seller.ts'
import { yearOf } from '../../lib/dates.ts'
import { profileImageSource } from '../../lib/image-source.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import type { PictureKind } from '../../profile/api.ts'
import { everybody, others, SeenBy } from '../../session/SeenBy.tsx'
import { color, from, radius, reach, space, text, width } from '../../theme/theme.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyBottle } from '../../ui/EmptyBottle.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { useSeller } from './api.ts'
import { ShopBadge } from './ShopBadge.tsx'
import { ShopGrid } from './ShopProducts.tsx'
import { ShopTabs } from './ShopTabs.tsx'

/** Only the owner needs these, and only at a press. */
const PictureUpload = lazyPart(async () => (await import('../../profile/PictureUpload.tsx')).PictureUpload)
const ProfileDialog = lazyPart(async () => (await import('./ProfileDialog.tsx')).ProfileDialog)

/** A person's shop as everybody sees it, and where its owner changes it. */
export default function ShopPage() {
  const sellerId = IdParam.safeParse(useParams()['sellerId']).data
  return sellerId === undefined ? <NotFound /> : <LoadedShop key={sellerId} sellerId={sellerId} />
}

function LoadedShop({ sellerId }: { sellerId: number }) {
  const { data: seller, error, mutate } = useSeller(sellerId)
  if (isApiError(error, 'seller-not-found')) return <NotFound />
  if (seller) return <Shop seller={seller} />
  if (!error) return <Coming />
  return (
    <LoadFailure heading="h1" onRetry={() => void mutate()}>
      {shownMessage(error)}
    </LoadFailure>
  )
}

function Shop({ seller }: { seller: Seller }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<PictureKind | 'profile' | null>(null)
  const { contactShop } = useContactSeller(paths.seller(seller.id))
  const cover = profileImageSource(seller.coverPhoto)
  const close = () => setOpen(null)
  return (
    <Page>
      <title>{`${seller.shopName} · ${t('shell.brand')}`}</title>
      <Cover $isEmpty={!cover}>
        {cover && <CoverPicture src={cover} alt="" width={1200} height={400} fetchPriority="high" />}
        <SeenBy viewers={['owner']} ownerId={seller.id}>
          <CoverAction>
            <Button tone="secondary" size="small" onClick={() => setOpen('cover')}>
              <ImagePlus size={16} strokeWidth={1.5} aria-hidden />
              {cover ? t('profile.changeCover') : t('profile.addCover')}
            </Button>
          </CoverAction>
        </SeenBy>
      </Cover>
      <Head>
        <Face>
          <Avatar src={profileImageSource(seller.profileImage)} name={seller.shopName} size="large" />
          <SeenBy viewers={['owner']} ownerId={seller.id}>
            <FaceAction type="button" aria-label={t('account.changePicture')} onClick={() => setOpen('avatar')}>
              <Camera size={18} strokeWidth={1.5} aria-hidden />
            </FaceAction>
          </SeenBy>
        </Face>
        <Names>
          <NameLine>
            <Name>{seller.shopName}</Name>
            <SeenBy viewers={seller.isVerified ? everybody : ['owner']} ownerId={seller.id}>
              <ShopBadge seller={seller} />
            </SeenBy>
          </NameLine>
          <Handle>
            @{seller.username}
            {seller.location && (
              <Place>
                <MapPin size={16} strokeWidth={1.5} aria-hidden />
                {seller.location}
              </Place>
            )}
            {seller.averageRating === null ? (
              <span>{t('shop.notRated')}</span>
            ) : (
              <Rating average={seller.averageRating} count={seller.reviewCount} />
            )}
          </Handle>
        </Names>
        <SeenBy viewers={['owner']} ownerId={seller.id}>
          <Button tone="secondary" onClick={() => setOpen('profile')}>
            <Pencil size={18} strokeWidth={1.5} aria-hidden />
            {t('profile.edit')}
          </Button>
        </SeenBy>
        <SeenBy viewers={others} ownerId={seller.id}>
          <Button onClick={() => contactShop(seller)}>
            <MessageCircle size={18} strokeWidth={1.5} aria-hidden />
            {t('product.contact')}
          </Button>
        </SeenBy>
      </Head>
      <Columns>
        <section aria-labelledby="about">
          <PartTitle id="about">{t('profile.about')}</PartTitle>
          <About>{seller.bio || t('profile.welcome', { shop: seller.shopName })}</About>
        </section>
        <Information aria-labelledby="information">
          <PartTitle id="information">{t('profile.information')}</PartTitle>
          <Facts
            facts={[
              { label: t('shop.products'), value: seller.productCount },
              { label: t('profile.location'), value: seller.location || t('account.notSet') },
              { label: t('profile.memberSince'), value: yearOf(seller.createdAt) },
              { label: t('shop.satisfaction'), value: t('shop.comingSoon') },
              { label: t('shop.shipping'), value: t('shop.fastAndReliable') },
            ]}
          />
          <ReportButton kind="person" targetId={seller.id} owner={seller} label={t('report.shop')} />
        </Information>
        <Shown>
          <ShopTabs seller={seller} />
        </Shown>
      </Columns>
      <Suspense fallback={null}>
        {open === 'profile' && <ProfileDialog onClose={close} />}
        {(open === 'avatar' || open === 'cover') && <PictureUpload kind={open} personId={seller.id} onClose={close} />}
      </Suspense>
    </Page>
  )
}

function NotFound() {
  const { t } = useTranslation()
  return (
    <>
      <title>{`${t('profile.notFoundTitle')} · ${t('shell.brand')}`}</title>
      <EmptyState
        heading="h1"
        icon={<EmptyBottle />}
        title={t('profile.notFoundTitle')}
        action={<ButtonLink to={paths.products()}>{t('account.browse')}</ButtonLink>}
      >
        {t('profile.notFoundText')}
      </EmptyState>
    </>
  )
}

function Coming() {
  const { t } = useTranslation()
  return (
    <Page aria-busy>
      <VisuallyHidden as="h1">{t('shell.loading')}</VisuallyHidden>
      <Cover $isEmpty />
      <Head>
        <Face>
          <Avatar src={null} name="" size="large" />
        </Face>
        <Names>
          <Skeleton $width={space(60)} $height={space(9)} />
          <Handle as="div">
            <Skeleton $width={space(40)} $height={space(5)} />
          </Handle>
        </Names>
      </Head>
      <Columns>
        <div>
          <Skeleton $width={space(20)} $height={space(6)} />
          <Handle as="div">
            <Skeleton $height={space(5)} />
          </Handle>
        </div>
        <Information>
          <Skeleton $height={space(60)} />
        </Information>
        <ShopGrid>
          <CardSkeletons count={6} />
        </ShopGrid>
      </Columns>
    </Page>
  )
}

/** Lower while nobody has given it a picture. */
const Cover = styled.div<{ $isEmpty: boolean }>`
  position: relative;
  aspect-ratio: 3;
  margin: -${space(5)} -${space(5)} 0;
  overflow: hidden;
  background: linear-gradient(120deg, ${color.ground}, color-mix(in srgb, ${color.ground} 78%, ${color.accent}));
  ${from.tablet} { aspect-ratio: ${({ $isEmpty }) => ($isEmpty ? 6 : 4)}; margin: 0; border-radius: ${radius.large}; }
`

const CoverPicture = styled.img`
  width: 100%;
  height: 100%;
  object-fit: cover;
`

const CoverAction = styled.div`
  position: absolute;
  right: ${space(4)};
  bottom: ${space(4)};
`

const Head = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(4)} ${space(6)};
  align-items: flex-end;
  ${from.tablet} { padding-left: ${space(6)}; }
`

const Face = styled.div`
  position: relative;
  align-self: flex-start;
  margin-top: -${space(12)};
  border: 4px solid ${color.paper};
  border-radius: ${radius.round};
  background: ${color.paper};
`

const FaceAction = styled.button`
  position: absolute;
  right: 0;
  bottom: 0;
  display: grid;
  place-items: center;
  width: ${space(9)};
  height: ${space(9)};
  padding: 0;
  border: 1px solid ${color.edge};
  border-radius: ${radius.round};
  background: ${color.surface};
  ${reach(4)}
  &:hover { border-color: ${color.ink}; }
`

const Names = styled.div`
  flex: 1 1 ${space(60)};
  min-width: 0;
  ${from.tablet} { padding-top: ${space(5)}; }
`

const NameLine = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)} ${space(4)};
  align-items: center;
`

const Name = styled.h1`
  font-size: ${text.heading};
  overflow-wrap: anywhere;
  ${from.desktop} { font-size: ${text.display}; }
`

const Handle = styled.p`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)} ${space(4)};
  margin-top: ${space(1)};
  color: ${color.muted};
  overflow-wrap: anywhere;
`

const Place = styled.span`
  display: inline-flex;
  gap: ${space(1)};
  align-items: center;
  svg { flex: none; }
`

const Columns = styled.div`
  display: grid;
  gap: ${space(10)};
  margin-top: ${space(10)};
  ${from.desktop} {
    grid-template: auto 1fr / minmax(0, 1fr) ${space(72)};
    gap: ${space(10)} ${space(14)};
    align-items: start;
  }
`

const Shown = styled.div`
  min-width: 0;
`

/** Stays beside the products while those go by. */
const Information = styled.section`
  padding: ${space(5)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  ${from.desktop} { position: sticky; top: ${space(22)}; grid-row: 1 / 3; grid-column: 2; }
`

const PartTitle = styled.h2`
  margin-bottom: ${space(3)};
  font-size: ${text.title};
`

const About = styled.p`
  max-width: ${width.prose};
  overflow-wrap: anywhere;
  white-space: pre-line;
`
