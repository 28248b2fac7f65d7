import type { ProductDetail } from '@wangian/contracts/catalogue.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { ReviewItem } from '../../cards/ReviewItem.tsx'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, space, width } from '../../theme/theme.ts'
import { Facts } from '../../ui/Facts.tsx'
import { Tab, TabGroup, TabList, TabPanel } from '../../ui/Tabs.tsx'

/** What the seller says of a product, its details in words, and what buyers said of it. */
export function ProductTabs({ product, fullness }: { product: ProductDetail; fullness: string }) {
  const { t } = useTranslation()
  const { reviews } = product
  return (
    <TabGroup defaultValue="description">
      <TabList>
        <Tab value="description">{t('product.description')}</Tab>
        <Tab value="details">{t('product.details')}</Tab>
        {reviews.length > 0 && <Tab value="reviews">{t('product.reviews', { total: product.reviewCount })}</Tab>}
      </TabList>
      <TabPanel value="description">
        <Description>{product.description}</Description>
      </TabPanel>
      <TabPanel value="details">
        <Facts
          facts={[
            { label: t('product.originalYear'), value: product.purchaseYear ?? t('product.unknownYear') },
            { label: t('product.bottleCondition'), value: fullness },
            {
              label: t('product.box'),
              value: product.boxCondition ? t(`sell.boxes.${product.boxCondition}`) : t('product.boxNotSpecified'),
            },
            {
              label: t('product.authenticity'),
              value: product.batchCode
                ? t('product.authenticBatch', { code: product.batchCode })
                : t('product.noBatch'),
            },
          ]}
        />
      </TabPanel>
      {reviews.length > 0 && (
        <TabPanel value="reviews">
          <ul>
            {reviews.map((review) => (
              <ReviewItem key={review.id} review={review} />
            ))}
          </ul>
          {product.reviewCount > reviews.length && (
            <More>
              {t('product.latestReviews', { count: reviews.length })}{' '}
              <Link to={paths.seller(product.sellerId, { tab: 'reviews' })}>{t('product.allReviews')}</Link>
            </More>
          )}
        </TabPanel>
      )}
    </TabGroup>
  )
}

const Description = styled.p`
  max-width: ${width.prose};
  white-space: pre-line;
  overflow-wrap: anywhere;
`

const More = styled.p`
  margin-top: ${space(4)};
  color: ${color.muted};
`
