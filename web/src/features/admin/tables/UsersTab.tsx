import { type AdminUser, adminRoutes, UserRole, UserStatus } from '@wangian/contracts/admin.ts'
import { useMemo } from 'react'
import { Link } from 'react-router-dom'
import type { Translate } from '../../../i18n/translate.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import type { Column } from '../../../ui/DataTable.tsx'
import { type MenuAction, RowMenu } from '../../../ui/RowMenu.tsx'
import { roleOf, UserStanding, Whole } from '../names.tsx'
import { useUserActions } from '../use-user-actions.tsx'
import { everything, sortOf, TableView } from './TableView.tsx'
import { useTableAddress } from './table-address.ts'
import { pageRows, useTable } from './use-table.ts'

const sorts = ['username-asc', 'username-desc', 'email-asc', 'email-desc', 'name-asc', 'name-desc'] as const

/** Everybody who has an account. */
export function UsersTab() {
  const { t } = useTranslation()
  const address = useTableAddress({ status: UserStatus.options, role: UserRole.options, sort: sorts })
  const { search, chosen, cursor } = address
  const table = useTable(adminRoutes.listUsers, { search: search || undefined, ...chosen, cursor, limit: pageRows })
  const { actionsOf, dialog } = useUserActions((changed) =>
    table.change((user) => (user.id === changed.id ? changed : user)),
  )
  const columns = useMemo(() => columnsOf(t, actionsOf), [t, actionsOf])
  return (
    <>
      <TableView
        tab={undefined}
        title={t('admin.users.title')}
        count={(count) => t('admin.users.count', { count })}
        address={address}
        table={table}
        columns={columns}
        keyOf={({ id }) => id}
        search={{ label: t('admin.users.search'), placeholder: t('admin.users.searchPlaceholder') }}
        filters={[
          {
            name: 'status',
            label: t('admin.columns.status'),
            otherwise: everything(t('admin.anyStatus')),
            options: UserStatus.options.map((value) => ({ value, label: t(`admin.userStatus.${value}`) })),
          },
          {
            name: 'role',
            label: t('admin.columns.role'),
            otherwise: everything(t('admin.users.anyRole')),
            options: UserRole.options.map((value) => ({ value, label: t(`admin.role.${value}`) })),
          },
          sortOf(t, sorts),
        ]}
        empty={{ title: t('admin.users.empty'), text: t('admin.users.emptyText') }}
      />
      {dialog}
    </>
  )
}

function columnsOf(t: Translate, actionsOf: (user: AdminUser) => readonly MenuAction[]): readonly Column<AdminUser>[] {
  return [
    { key: 'id', head: t('admin.columns.id'), cell: ({ id }) => id },
    {
      key: 'username',
      head: t('admin.columns.username'),
      isTitle: true,
      cell: ({ id, username }) => (
        <Whole>
          <Link to={paths.adminUser(id)}>{username}</Link>
        </Whole>
      ),
    },
    { key: 'email', head: t('admin.columns.email'), isText: true, cell: ({ email }) => email },
    { key: 'name', head: t('admin.columns.name'), isText: true, cell: (user) => fullName(user) ?? t('admin.none') },
    { key: 'role', head: t('admin.columns.role'), cell: (user) => t(`admin.role.${roleOf(user)}`) },
    { key: 'status', head: t('admin.columns.status'), cell: (user) => <UserStanding user={user} /> },
    {
      key: 'actions',
      head: t('admin.columns.actions'),
      isActions: true,
      cell: (user) => <RowMenu label={t('admin.actionsFor', { name: user.username })} actions={actionsOf(user)} />,
    },
  ]
}

export function fullName({ firstName, lastName }: Pick<AdminUser, 'firstName' | 'lastName'>): string | null {
  return [firstName, lastName].filter(Boolean).join(' ') || null
}
