import type { AdminListing, AdminUser, ListingStatus, UserStatus } from '@wangian/contracts/admin.ts'
import type { OrderStatus } from '@wangian/contracts/messaging.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { inLanguage } from '../../i18n/in-language.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, from, text } from '../../theme/theme.ts'
import { Status } from '../../ui/Status.tsx'

/** Somebody, and the way to all that is known of them. */
export function PersonLink({ person }: { person: { readonly id: number; readonly username: string | null } }) {
  const name = useNameOf()
  return (
    <Whole>
      <Link to={paths.adminUser(person.id)}>{name(person)}</Link>
    </Whole>
  )
}

/** What somebody is called, also after they have left. */
export function useNameOf(): (person: { readonly username: string | null }) => string {
  const { t } = useTranslation()
  return ({ username }) => username ?? t('person.deleted')
}

const userTones = { active: 'ok', banned: 'live', unconfirmed: 'warn', closed: 'muted' } as const satisfies Record<
  UserStatus,
  string
>

export function UserStanding({ user: { status } }: { user: Pick<AdminUser, 'status'> }) {
  const { t } = useTranslation()
  return <Status tone={userTones[status]}>{t(`admin.userStatus.${status}`)}</Status>
}

const orderTones = {
  pending: 'warn',
  processing: 'ok',
  shipped: 'ok',
  delivered: 'ok',
  cancelled: 'live',
} as const satisfies Record<OrderStatus, string>

export function OrderStanding({ status }: { status: OrderStatus }) {
  const { t } = useTranslation()
  return <Status tone={orderTones[status]}>{t(`admin.orderStatus.${status}`)}</Status>
}

const listingTones = {
  active: 'ok',
  featured: 'ok',
  pending: 'warn',
  sold: 'muted',
  removed: 'live',
} as const satisfies Record<ListingStatus, string>

export function ListingStanding({ listing: { status } }: { listing: Pick<AdminListing, 'status'> }) {
  const { t } = useTranslation()
  return <Status tone={listingTones[status]}>{t(`admin.listingStatus.${status}`)}</Status>
}

/** What somebody is: the first that is true counts. */
export function roleOf({
  isAdmin,
  isSeller,
}: Pick<AdminUser, 'isAdmin' | 'isSeller'>): 'admin' | 'seller' | 'customer' {
  return isAdmin ? 'admin' : isSeller ? 'seller' : 'customer'
}

const twoDecimals = inLanguage(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
)

/** An amount in ringgit as the orders table shows it: with a dollar sign, as was agreed. */
export function orderAmount(ringgit: number): string {
  return `$${twoDecimals().format(ringgit)}`
}

export const Small = styled.span`
  display: block;
  color: ${color.muted};
  font-size: ${text.small};
`

/** Words that are not broken in two, however narrow the column, unless they are longer than most names. */
export const Whole = styled.span`
  display: inline-block;
  min-width: 0;
  max-width: 100%;
  ${from.tablet} { max-width: 14em; }
  overflow-wrap: break-word;
  vertical-align: top;
`

/** An amount stays on one line; on a phone it has one of its own, and may be large. */
export const Amount = styled.span`
  ${from.tablet} { white-space: nowrap; }
`
