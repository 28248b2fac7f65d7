import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { useState } from 'react'
import { useTranslation } from '../../lib/use-translation.ts'
import { reasonOr } from '../../profile/reasons.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { useRequestPassword } from './api.ts'

/** For somebody without a password: the mail with which they set one. */
export function FirstPassword({ person }: { person: CurrentUser }) {
  const { t } = useTranslation()
  const requestPassword = useRequestPassword(person)
  const [state, setState] = useState<'idle' | 'busy' | 'sent'>('idle')

  const send = async () => {
    setState('busy')
    try {
      await requestPassword()
      setState('sent')
    } catch (error) {
      setState('idle')
      const description = reasonOr(error, t('auth.tryAgain'))
      showToast({ title: t('account.firstPasswordFailed'), description, tone: 'destructive' })
    }
  }

  if (state === 'sent') return <p role="status">{t('account.firstPasswordSent', { address: person.email })}</p>
  return (
    <div>
      <Button
        tone="secondary"
        busy={state === 'busy'}
        busyLabel={t('account.sendingFirstPassword')}
        onClick={() => void send()}
      >
        {t('account.sendFirstPassword')}
      </Button>
    </div>
  )
}
