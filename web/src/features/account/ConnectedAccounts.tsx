import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { useEffect, useState } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { reasonOr } from '../../profile/reasons.ts'
import { useSession } from '../../session/use-session.ts'
import { color, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { FormPart } from '../../ui/FormPart.tsx'
import { showToast } from '../../ui/toast-store.ts'

/** Other sites that somebody signs in by, and how to end that; nothing for those who use none. */
export function ConnectedAccounts({ person }: { person: CurrentUser }) {
  const { t } = useTranslation()
  const session = useSession()
  const [isLinked, setLinked] = useState(false)
  const [step, setStep] = useState<'shown' | 'asked' | 'busy'>('shown')
  useEffect(() => {
    let isLeft = false
    void session
      .provider()
      .then((provider) => provider.isFacebookLinked())
      // Who cannot be asked shows no way that may not work.
      .catch(() => false)
      .then((linked) => isLeft || setLinked(linked))
    return () => {
      isLeft = true
    }
  }, [session])
  if (!isLinked) return null

  const disconnect = async () => {
    setStep('busy')
    try {
      await (await session.provider()).unlinkFacebook()
      setLinked(false)
      showToast({ title: t('account.disconnected'), description: t('account.disconnectedText') })
    } catch (error) {
      const description = reasonOr(error, t('auth.tryAgain'))
      showToast({ title: t('account.disconnectFailed'), description, tone: 'destructive' })
    }
    setStep('shown')
  }
  // It would be the last way in.
  const isOnlyWay = person.hasPassword === false
  return (
    <FormPart title={t('account.connected')} intro={t('account.connectedIntro')}>
      <Row>
        <span>
          <strong>Facebook</strong>
          {isOnlyWay && <Note>{t('account.onlyWay')}</Note>}
        </span>
        <Button
          tone="secondary"
          size="small"
          disabled={isOnlyWay}
          aria-label={t('account.disconnectFacebook')}
          onClick={() => setStep('asked')}
        >
          {t('account.disconnect')}
        </Button>
      </Row>
      {step !== 'shown' && (
        <Confirm
          title={t('account.disconnectFacebook')}
          words={t('account.disconnectQuestion')}
          confirmLabel={t('account.disconnect')}
          cancelLabel={t('account.stay')}
          busy={step === 'busy'}
          onConfirm={() => void disconnect()}
          onCancel={() => setStep('shown')}
        />
      )}
    </FormPart>
  )
}

const Row = styled.div`
  display: flex;
  gap: ${space(4)};
  align-items: center;
  justify-content: space-between;
`

const Note = styled.span`
  display: block;
  margin-top: ${space(1)};
  color: ${color.muted};
  font-size: ${text.small};
`
