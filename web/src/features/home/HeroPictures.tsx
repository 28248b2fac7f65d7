import type { Product } from '@wangian/contracts/catalogue.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { picturesOf } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, from, radius, space, text } from '../../theme/theme.ts'
import { FillGauge } from '../../ui/FillGauge.tsx'
import { Picture } from '../../ui/Picture.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

const places = [0, 1, 2] as const
const sizes = '(min-width: 1024px) 200px, 30vw'

/** Three bottles with how full they are, the shop in one glance; undefined while they load. */
export function HeroPictures({ products }: { products: readonly Product[] | undefined }) {
  const { t } = useTranslation()
  if (products?.length === 0) return null
  return (
    <Row>
      {products?.map((product) => (
        <Bottle key={product.id} to={paths.product(product.id)}>
          <Frame>
            <Picture {...picturesOf(product)[0]} alt="" sizes={sizes} eager />
          </Frame>
          <Name>{product.name}</Name>
          <FillGauge
            percentage={product.remainingPercentage}
            label={t('card.fillLong', { percentage: product.remainingPercentage })}
          />
        </Bottle>
      )) ??
        places.map((place) => (
          <Coming key={place}>
            <Skeleton $ratio="4 / 5" />
            <Skeleton $height={space(5)} $width="70%" />
            <Skeleton $height={space(5)} $width="50%" />
          </Coming>
        ))}
    </Row>
  )
}

/** Each a little lower than the one before, like bottles on a shop's steps. */
const Row = styled.div`
  display: grid;
  grid-template-columns: repeat(3, minmax(0, 1fr));
  gap: ${space(3)};
  align-items: start;
  ${from.desktop} {
    gap: ${space(4)};
    & > :nth-child(1) { margin-top: ${space(24)}; }
    & > :nth-child(2) { margin-top: ${space(12)}; }
  }
`

const Bottle = styled(Link)`
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: ${space(1)};
  justify-items: start;
  min-width: 0;
  border-radius: ${radius.large};
  text-decoration: none;
`

const Coming = styled.div`
  display: grid;
  gap: ${space(1)};
  & > :first-child { margin-bottom: ${space(2)}; border-radius: ${radius.large}; }
`

const Frame = styled.span`
  display: block;
  width: 100%;
  margin-bottom: ${space(2)};
  overflow: hidden;
  border-radius: ${radius.large};
`

const Name = styled.span`
  max-width: 100%;
  overflow: hidden;
  color: ${color.muted};
  font-size: ${text.small};
  text-overflow: ellipsis;
  white-space: nowrap;
`
