import type { AuctionPage } from '@wangian/contracts/auction.ts'
import { styled } from 'styled-components'
import { PremiumBadge } from '../../cards/PremiumBadge.tsx'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, from, space, text } from '../../theme/theme.ts'
import { Badge } from '../../ui/Badge.tsx'
import { FillGauge } from '../../ui/FillGauge.tsx'

/** What is auctioned, and whether its reserve is met. */
export function AuctionHead({ page, name, isLive }: { page: AuctionPage; name: string; isLive: boolean }) {
  const { t } = useTranslation()
  const { product } = page
  return (
    <header>
      <Badges>
        <Badge $tone={isLive ? 'live' : 'ink'}>{t('auction.badge')}</Badge>
        {page.hasReserve && isLive && (
          <Badge $tone={page.reserveMet ? 'ok' : 'warn'}>
            {page.reserveMet ? t('auction.reserveMet') : t('auction.reserveUnmet')}
          </Badge>
        )}
        {product && <PremiumBadge product={product} />}
      </Badges>
      {product && <Brand>{product.brand}</Brand>}
      <Name>{name}</Name>
      {product && (
        <Condition>
          <FillGauge
            percentage={product.remainingPercentage}
            label={t('product.full', { percentage: product.remainingPercentage })}
          />
          <span>{t('product.volumeValue', { volume: product.volume })}</span>
        </Condition>
      )}
    </header>
  )
}

const Badges = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  margin-bottom: ${space(3)};
`

const Brand = styled.p`
  color: ${color.muted};
  overflow-wrap: anywhere;
`

const Name = styled.h1`
  margin-top: ${space(1)};
  font-size: ${text.heading};
  overflow-wrap: anywhere;
  ${from.desktop} { font-size: ${text.display}; }
`

const Condition = styled.p`
  display: flex;
  gap: ${space(5)};
  align-items: center;
  margin-top: ${space(3)};
  font-size: ${text.small};
`
