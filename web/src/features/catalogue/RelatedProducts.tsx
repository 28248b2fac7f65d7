import { catalogueRoutes, type Product } from '@wangian/contracts/catalogue.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { useId } from 'react'
import { styled } from 'styled-components'
import useSWR from 'swr'
import { call } from '../../api/client.ts'
import { CardGrid } from '../../cards/Card.tsx'
import { CardSkeletons } from '../../cards/CardSkeletons.tsx'
import { ListingCard } from '../../cards/ListingCard.tsx'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, space, text } from '../../theme/theme.ts'

/** A row of cards. */
const SHELF_PRODUCTS = 4

/** What else somebody who looks at a product may like: more of its seller's, and perfumes like it. */
export function RelatedProducts({ product }: { product: Product }) {
  const { t } = useTranslation()
  const ofSeller = useMoreFromSeller(product)
  const similar = useSimilar(product)
  return (
    <>
      {product.seller.username && (
        <Shelf
          title={t('product.moreFrom', { name: product.seller.username })}
          list="More from seller"
          products={ofSeller.data}
          isMissing={ofSeller.error !== undefined}
        />
      )}
      <Shelf
        title={t('product.similar')}
        list="Similar perfumes"
        products={similar.data}
        isMissing={similar.error !== undefined}
      />
    </>
  )
}

/** Nothing where nothing is: the page is complete without it. */
function Shelf({
  title,
  list,
  products,
  isMissing,
}: {
  title: string
  list: string
  products: readonly Product[] | undefined
  isMissing: boolean
}) {
  const id = useId()
  if (isMissing || products?.length === 0) return null
  return (
    <Section aria-labelledby={id}>
      <Title id={id}>{title}</Title>
      <Row aria-busy={products === undefined || undefined}>
        {products?.map((product, index) => (
          <ListingCard key={product.id} product={product} place={{ list, index }} />
        )) ?? <CardSkeletons count={SHELF_PRODUCTS} />}
      </Row>
    </Section>
  )
}

function useMoreFromSeller({ id, sellerId }: Product) {
  return useSWR(['more-from-seller', id], async () => {
    const { products } = await call(shopRoutes.listSellerProducts, {
      params: { sellerId },
      query: { limit: SHELF_PRODUCTS + 1 },
    })
    return products.filter((product) => product.id !== id).slice(0, SHELF_PRODUCTS)
  })
}

/** Of the same house first, then of the same category; the seller's own have their own shelf. */
function useSimilar({ id, brand, categoryId, sellerId }: Product) {
  return useSWR(['similar', id], async () => {
    const lists = await Promise.all([
      call(catalogueRoutes.listProducts, { query: { brand: [brand], limit: 2 * SHELF_PRODUCTS } }),
      call(catalogueRoutes.listProducts, { query: { category: categoryId, limit: 4 * SHELF_PRODUCTS } }),
    ])
    const others = new Map(lists.flat().map((product) => [product.id, product]))
    return [...others.values()]
      .filter((product) => product.id !== id && product.sellerId !== sellerId)
      .slice(0, SHELF_PRODUCTS)
  })
}

/** One row, whichever the width: four do not fill rows of three. */
const Row = styled(CardGrid)`
  @media (min-width: 768px) and (max-width: 1023.98px) {
    & > :nth-child(n + 4) { display: none; }
  }
`

const Section = styled.section`
  margin-top: ${space(16)};
  padding-top: ${space(6)};
  border-top: 1px solid ${color.line};
`

const Title = styled.h2`
  margin-bottom: ${space(6)};
  font-size: ${text.title};
`
