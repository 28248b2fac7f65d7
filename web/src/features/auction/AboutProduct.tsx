import type { Product } from '@wangian/contracts/catalogue.ts'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { space, text, width } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'

/** What the seller writes of it, and who that is. */
export function AboutProduct({ product, onContact }: { product: Product; onContact: () => void }) {
  const { t } = useTranslation()
  return (
    <About>
      <section aria-labelledby="about">
        <SectionTitle id="about">{t('auction.aboutTitle')}</SectionTitle>
        <Description>{product.description}</Description>
      </section>
      <section aria-labelledby="seller">
        <SectionTitle id="seller">{t('auction.sellerTitle')}</SectionTitle>
        <SellerName>{product.seller.username ?? t('person.deleted')}</SellerName>
        <SellerActions>
          <Button tone="secondary" size="small" onClick={onContact}>
            {t('product.contact')}
          </Button>
          <ButtonLink tone="plain" size="small" to={paths.seller(product.sellerId)}>
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
  gap: ${space(2)};
  margin-top: ${space(3)};
`
