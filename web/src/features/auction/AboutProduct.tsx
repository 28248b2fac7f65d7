import type { AuctionPage } from '@wangian/contracts/auction.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { styled } from 'styled-components'
import { useApi } from '../../api/use-api.ts'
import { useContactSeller } from '../../contact/use-contact-seller.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { space, text, width } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'

/** What the seller writes of it, and who that is, which is known also where the listing cannot be read. */
export function AboutProduct({ page: { id, product, sellerId } }: { page: AuctionPage }) {
  const { t } = useTranslation()
  const { contact, contactShop } = useContactSeller(paths.auction(id))
  const { data: shop } = useApi(shopRoutes.getSeller, product ? null : { params: { sellerId } })
  const name = product ? (product.seller.username ?? t('person.deleted')) : shop?.username
  const write = product ? () => contact(product) : shop && (() => contactShop(shop))
  return (
    <About>
      {product && (
        <section aria-labelledby="about">
          <SectionTitle id="about">{t('auction.aboutTitle')}</SectionTitle>
          <Description>{product.description}</Description>
        </section>
      )}
      <section aria-labelledby="seller">
        <SectionTitle id="seller">{t('auction.sellerTitle')}</SectionTitle>
        {name && <SellerName>{name}</SellerName>}
        <SellerActions>
          {write && (
            <Button tone="secondary" size="small" onClick={write}>
              {t('product.contact')}
            </Button>
          )}
          <ButtonLink tone="plain" size="small" to={paths.seller(sellerId)}>
            {t('product.viewSeller')}
          </ButtonLink>
        </SellerActions>
      </section>
    </About>
  )
}

const About = styled.div`
  display: grid;
  gap: ${space(8)};
  min-width: 0;
`

const SectionTitle = styled.h2`
  margin-bottom: ${space(3)};
  font-size: ${text.title};
`

const Description = styled.p`
  max-width: ${width.prose};
  white-space: pre-line;
  overflow-wrap: anywhere;
`

const SellerName = styled.p`
  font-size: ${text.lead};
`

const SellerActions = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  margin-top: ${space(3)};
`
