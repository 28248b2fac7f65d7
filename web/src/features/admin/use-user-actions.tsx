import { type AdminUser, adminRoutes } from '@wangian/contracts/admin.ts'
import { Ban, Eye, KeyRound, MessageCircle, RotateCcw, ShieldCheck, ShieldOff } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import type { Translate } from '../../i18n/translate.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import type { MenuAction } from '../../ui/RowMenu.tsx'
import { ActionDialog, type Deed, type Question } from './actions.tsx'
import { useWriteTo } from './use-write-to.ts'

type Kind = 'ban' | 'unban' | 'appoint' | 'dismiss' | 'removeFactor'
type User = Pick<AdminUser, 'id' | 'username' | 'isAdmin' | 'isBanned' | 'hasSecondFactor' | 'status'>

/** What can be done about somebody, and the question that it opens. */
export function useUserActions(onChanged: (user: AdminUser) => void): {
  /** Keep what is made of it between renders. */
  readonly actionsOf: (user: User) => readonly MenuAction[]
  readonly dialog: ReactNode
} {
  const { t } = useTranslation()
  const ownId = useUser()?.id
  const writeTo = useWriteTo()
  const [asked, setAsked] = useState<{ readonly kind: Kind; readonly user: User } | null>(null)
  const actionsOf = useMemo(() => {
    const icon = { size: 18, strokeWidth: 1.5, 'aria-hidden': true } as const
    const ask = (kind: Kind, user: User) => () => setAsked({ kind, user })
    return (user: User): readonly MenuAction[] => {
      const isSelf = user.id === ownId
      // Nothing of an account that is closed can be changed.
      const isGone = user.status === 'closed'
      return [
        { label: t('admin.view'), icon: <Eye {...icon} />, to: paths.adminUser(user.id) },
        {
          label: t('admin.write.person'),
          icon: <MessageCircle {...icon} />,
          disabled: isSelf || isGone,
          onSelect: () => writeTo(user),
        },
        user.isBanned
          ? {
              label: t('admin.unban.confirm'),
              icon: <RotateCcw {...icon} />,
              disabled: isGone,
              onSelect: ask('unban', user),
            }
          : {
              label: t('admin.ban.confirm'),
              icon: <Ban {...icon} />,
              tone: 'danger',
              disabled: user.isAdmin || isGone,
              onSelect: ask('ban', user),
            },
        user.isAdmin
          ? {
              label: t('admin.dismiss.confirm'),
              icon: <ShieldOff {...icon} />,
              tone: 'danger',
              disabled: isSelf || isGone,
              onSelect: ask('dismiss', user),
            }
          : {
              label: t('admin.appoint.confirm'),
              icon: <ShieldCheck {...icon} />,
              disabled: user.status !== 'active',
              onSelect: ask('appoint', user),
            },
        ...(user.hasSecondFactor
          ? [
              {
                label: t('admin.removeFactor.confirm'),
                icon: <KeyRound {...icon} />,
                tone: 'danger' as const,
                disabled: isSelf || isGone,
                onSelect: ask('removeFactor', user),
              },
            ]
          : []),
      ]
    }
  }, [t, ownId, writeTo])
  return {
    actionsOf,
    dialog: asked && (
      <ActionDialog
        question={questionOf(asked.kind, asked.user, t)}
        deed={deedOf(asked.kind, asked.user, t, (user) => user && onChanged(user))}
        onClose={() => setAsked(null)}
      />
    ),
  }
}

function questionOf(kind: Kind, { username }: User, t: Translate): Question {
  return {
    title: t(`admin.${kind}.title`, { name: username }),
    words: t(`admin.${kind}.text`, { name: username }),
    confirm: t(`admin.${kind}.confirm`),
    tone: kind === 'unban' || kind === 'appoint' ? 'primary' : 'danger',
    isReasonRequired: kind !== 'ban' && kind !== 'unban',
  }
}

function deedOf(kind: Kind, user: User, t: Translate, onChanged: Deed<AdminUser>['onChanged']): Deed<AdminUser> {
  const params = { userId: user.id }
  const run = async (reason: string | null): Promise<AdminUser> => {
    switch (kind) {
      case 'ban':
      case 'unban':
        return await call(adminRoutes.setBanned, {
          params,
          body: { isBanned: kind === 'ban', ...(reason && { reason }) },
        })
      case 'appoint':
      case 'dismiss':
        return await call(adminRoutes.setAdministrator, {
          params,
          body: { isAdmin: kind === 'appoint', reason: reason ?? '' },
        })
      case 'removeFactor':
        return await call(adminRoutes.removeFactors, { params, body: { reason: reason ?? '' } })
    }
  }
  return {
    run,
    onChanged,
    reread: () => call(adminRoutes.getUser, { params }),
    standing: { before: standingOf(user), of: standingOf },
    done: t(`admin.${kind}.done`, { name: user.username }),
  }
}

function standingOf({ isAdmin, isBanned, hasSecondFactor }: User): string {
  return JSON.stringify([isAdmin, isBanned, hasSecondFactor])
}
