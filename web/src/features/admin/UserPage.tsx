import { type AdminUserDetails, adminRoutes } from '@wangian/contracts/admin.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { reportRoutes } from '@wangian/contracts/reports.ts'
import { useMemo } from 'react'
import { useParams } from 'react-router-dom'
import { useApi } from '../../api/use-api.ts'
import type { Translate } from '../../i18n/translate.ts'
import { knownFact, momentFact } from '../../lib/facts.ts'
import { profileImageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { roleOf, UserStanding } from './names.tsx'
import { RecordBody, RecordHead, RecordPage } from './RecordPage.tsx'
import { RelatedActivity, RelatedOrders, RelatedRows } from './RelatedRows.tsx'
import { reportColumns } from './reports/report-columns.tsx'
import { Timeline } from './Timeline.tsx'
import { listingColumns } from './tables/ListingsTab.tsx'
import { paymentColumns } from './tables/PaymentsTab.tsx'
import { fullName } from './tables/UsersTab.tsx'
import { useListingActions } from './use-listing-actions.tsx'
import { useRefresh } from './use-refresh.ts'
import { useUserActions } from './use-user-actions.tsx'

/** All that is known of somebody. */
export default function UserPage() {
  const { t } = useTranslation()
  const userId = IdParam.safeParse(useParams()['userId'] ?? '').data
  const query = useApi(adminRoutes.getUser, { params: { userId: userId ?? 0 } }, { revalidateOnMount: true })
  return (
    <RecordPage
      back={{ to: paths.adminDashboard(), label: t('admin.users.title') }}
      title={query.data?.username ?? t('admin.tabs.users')}
      query={query}
      notFound={t('admin.userNotFound')}
    >
      {(user) => <Loaded key={user.id} user={user} onChanged={() => void query.mutate()} />}
    </RecordPage>
  )
}

function Loaded({ user, onChanged }: { user: AdminUserDetails; onChanged: () => void }) {
  const { t } = useTranslation()
  const refresh = useRefresh()
  const { actionsOf, dialog } = useUserActions(() => {
    onChanged()
    refresh()
  })
  const { id } = user
  return (
    <>
      <RecordHead
        title={user.username}
        picture={<Avatar src={profileImageSource(user.profileImage)} name={user.username} size="medium" />}
        standing={
          <>
            <UserStanding user={user} />
            <span>{t(`admin.role.${roleOf(user)}`)}</span>
            <span>{t('admin.idOf', { id })}</span>
          </>
        }
        actions={[
          ...actionsOf(user).filter((action) => 'onSelect' in action),
          // Nobody sees the shop of who is banned or has left.
          ...(user.isSeller && user.status !== 'banned' && user.status !== 'closed'
            ? [{ label: t('admin.seeShop'), to: paths.seller(id) }]
            : []),
        ]}
      />
      <RecordBody facts={factsOf(t, user)}>
        <RelatedOrders of={{ user: id }} />
        <Listings sellerId={id} />
        <Payments userId={id} />
        <Reports userId={id} />
        <RelatedActivity title={t('admin.activity.about')} query={{ targetKind: 'user', targetId: String(id) }} />
        {user.isAdmin && (
          <RelatedActivity
            title={t('admin.activity.by')}
            query={{ actorId: id }}
            all={paths.adminDashboard('activity', { user: id })}
          />
        )}
        <Timeline kind="user" id={id} people={[user]} />
      </RecordBody>
      {dialog}
    </>
  )
}

function factsOf(t: Translate, user: AdminUserDetails) {
  return [
    ...knownFact(t('admin.facts.banReason'), user.banReason),
    ...knownFact(t('admin.columns.name'), fullName(user)),
    ...knownFact(t('admin.columns.email'), user.email),
    ...knownFact(t('admin.facts.confirmed'), t(user.isVerified ? 'admin.yes' : 'admin.no')),
    ...knownFact(t('admin.facts.secondFactor'), t(user.hasSecondFactor ? 'admin.yes' : 'admin.no')),
    ...knownFact(t('admin.facts.address'), user.address),
    ...knownFact(t('admin.facts.shop'), user.shopName),
    ...knownFact(t('admin.facts.location'), user.location),
    ...knownFact(t('admin.facts.bio'), user.bio),
    ...momentFact(t('admin.facts.joined'), user.createdAt),
    ...momentFact(t('admin.facts.lastSignIn'), user.lastSignInAt),
    ...momentFact(t('admin.facts.closed'), user.closedAt),
  ]
}

function Listings({ sellerId }: { sellerId: number }) {
  const { t } = useTranslation()
  const { actionsOf, dialog } = useListingActions(useRefresh())
  // Whose they are is known here.
  const columns = useMemo(() => listingColumns(t, actionsOf).filter(({ key }) => key !== 'seller'), [t, actionsOf])
  return (
    <>
      <RelatedRows
        title={t('admin.listings.title')}
        route={adminRoutes.listListings}
        query={{ sellerId }}
        columns={columns}
        empty={t('admin.listings.none')}
        all={paths.adminDashboard('listings', { user: sellerId })}
      />
      {dialog}
    </>
  )
}

function Payments({ userId }: { userId: number }) {
  const { t } = useTranslation()
  const columns = useMemo(() => paymentColumns(t).filter(({ key }) => key !== 'user' && key !== 'bill'), [t])
  return (
    <RelatedRows
      title={t('admin.payments.title')}
      route={adminRoutes.listPayments}
      query={{ userId }}
      columns={columns}
      empty={t('admin.payments.none')}
      all={paths.adminDashboard('payments', { user: userId })}
    />
  )
}

function Reports({ userId }: { userId: number }) {
  const { t } = useTranslation()
  const columns = useMemo(() => ({ about: reportColumns(t, 'reporter'), by: reportColumns(t, 'reported') }), [t])
  return (
    <>
      <RelatedRows
        title={t('admin.reports.about')}
        route={reportRoutes.listReports}
        query={{ reportedId: userId }}
        columns={columns.about}
        empty={t('admin.reports.none')}
        all={paths.adminDashboard('reports', { user: userId })}
      />
      <RelatedRows
        title={t('admin.reports.reportedBy')}
        route={reportRoutes.listReports}
        query={{ reporterId: userId }}
        columns={columns.by}
        empty={t('admin.reports.none')}
        all={paths.adminDashboard('reports', { reporter: userId })}
      />
    </>
  )
}
