import { BADGE_ORDERS_MIN, BADGE_RATING_MIN, type Seller } from '@wangian/contracts/shop.ts'
import { BadgeCheck, Check, Minus } from 'lucide-react'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, radius, reach, space, text, weight } from '../../theme/theme.ts'
import { Popover } from '../../ui/Popover.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'

/** The verified badge, which explains what it stands for; whoever does not have it yet reads what is missing. */
export function ShopBadge({ seller }: { seller: Seller }) {
  const { t } = useTranslation()
  const { isVerified } = seller
  return (
    <Popover
      title={t('shop.badgeTitle')}
      trigger={
        <Trigger type="button" $isVerified={isVerified}>
          <BadgeCheck size={18} strokeWidth={1.5} aria-hidden />
          {isVerified ? t('shop.verified') : t('shop.notVerified')}
        </Trigger>
      }
    >
      <p>{t('shop.badgeText')}</p>
      <Criteria>
        {seller.badge.map(({ criterion, isMet, measured }) => (
          <Criterion key={criterion} $isMet={isMet}>
            {isMet ? (
              <Check size={18} strokeWidth={2} aria-hidden />
            ) : (
              <Minus size={18} strokeWidth={1.5} aria-hidden />
            )}
            <span>
              {t(`shop.criteria.${criterion}`, { orders: BADGE_ORDERS_MIN, rating: BADGE_RATING_MIN })}
              {measured !== null && <Measured>{t('shop.measured', { value: measured })}</Measured>}
              <VisuallyHidden> ({isMet ? t('shop.met') : t('shop.notMet')})</VisuallyHidden>
            </span>
          </Criterion>
        ))}
      </Criteria>
    </Popover>
  )
}

const Trigger = styled.button<{ $isVerified: boolean }>`
  position: relative;
  display: inline-flex;
  gap: ${space(1.5)};
  align-items: center;
  min-height: ${space(7)};
  padding: 0 ${space(3)} 0 ${space(2)};
  border: 1px solid currentcolor;
  border-radius: ${radius.round};
  background: ${color.surface};
  color: ${({ $isVerified }) => ($isVerified ? color.ok : color.muted)};
  font-size: ${text.small};
  font-weight: ${weight.strong};
  ${reach(8, 0)}
`

const Measured = styled.span`
  display: block;
  color: ${color.muted};
  font-size: ${text.small};
`

const Criteria = styled.ul`
  display: grid;
  gap: ${space(2)};
  margin-top: ${space(3)};
`

const Criterion = styled.li<{ $isMet: boolean }>`
  display: grid;
  grid-template-columns: auto minmax(0, 1fr);
  gap: ${space(2)};
  color: ${({ $isMet }) => ($isMet ? color.ink : color.muted)};
  svg { margin-top: 2px; color: ${({ $isMet }) => ($isMet ? color.ok : color.muted)}; }
`
