import type { NotificationSettings } from '@wangian/contracts/account.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { useCurrentUser } from '../../../session/use-current-user.ts'
import { space } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { Switch } from '../../../ui/Choices.tsx'
import { Facts } from '../../../ui/Facts.tsx'
import { FormPart } from '../../../ui/FormPart.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { showToast } from '../../../ui/toast-store.ts'
import { useNotificationSettings } from './use-notification-settings.ts'

const kinds = ['sales', 'newReviews', 'lowStock'] as const satisfies readonly (keyof NotificationSettings)[]

/** Who the seller is, and which mails they want. */
export function SettingsTab() {
  const { t } = useTranslation()
  return (
    <Parts>
      <FormPart
        title={t('dashboard.settings.account')}
        intro={
          <>
            {t('dashboard.settings.accountText')}{' '}
            <Link to={paths.account('settings')}>{t('dashboard.settings.toAccount')}</Link>
          </>
        }
      >
        <Account />
      </FormPart>
      <FormPart title={t('dashboard.settings.notifications')} intro={t('dashboard.settings.notificationsText')}>
        <Notifications />
      </FormPart>
    </Parts>
  )
}

function Account() {
  const { t } = useTranslation()
  const { data: user, error, mutate } = useCurrentUser()
  if (!user) {
    return error ? <Failure error={error} onRetry={() => void mutate()} /> : <Skeleton $height={space(44)} />
  }
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ')
  return (
    <Facts
      facts={[
        { label: t('dashboard.settings.name'), value: name || t('dashboard.settings.noName') },
        { label: t('dashboard.settings.email'), value: user.email },
        { label: t('dashboard.settings.username'), value: user.username },
        { label: t('dashboard.settings.accountType'), value: t('dashboard.settings.seller') },
      ]}
    />
  )
}

function Notifications() {
  const { t } = useTranslation()
  const { settings, error, reload, change } = useNotificationSettings((failure) =>
    showToast({
      title: t('dashboard.settings.saveFailed'),
      description: shownMessage(failure),
      tone: 'destructive',
    }),
  )
  if (!settings) return error ? <Failure error={error} onRetry={reload} /> : <Skeleton $height={space(48)} />
  return (
    <Switches>
      {kinds.map((kind) => (
        <Switch
          key={kind}
          label={t(`dashboard.settings.${kind}`)}
          help={t(`dashboard.settings.${kind}Text`)}
          checked={settings[kind]}
          onChange={(event) => change({ [kind]: event.target.checked })}
        />
      ))}
    </Switches>
  )
}

function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <Notice tone="warn" title={t('problem.loadTitle')}>
      <Retry>
        {shownMessage(error)}
        <Button tone="secondary" size="small" onClick={onRetry}>
          {t('problem.tryAgain')}
        </Button>
      </Retry>
    </Notice>
  )
}

const Parts = styled.div`
  display: grid;
  gap: ${space(10)};
  max-width: 60rem;
  & > :first-child { padding-top: 0; border-top: 0; }
`

const Switches = styled.div`
  display: grid;
  gap: ${space(5)};
`

const Retry = styled.div`
  display: grid;
  gap: ${space(3)};
  justify-items: start;
`
