import type { CurrentUser } from '@wangian/contracts/identity.ts'
import { useCallback, useEffect, useState } from 'react'
import { styled } from 'styled-components'
import { formatDay } from '../../lib/dates.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { reasonOr } from '../../profile/reasons.ts'
import { type AuthenticatorApp, type NewApp, ProviderError, type SecondFactors } from '../../session/auth-provider.ts'
import { useCurrentUser } from '../../session/use-current-user.ts'
import { useSession } from '../../session/use-session.ts'
import { color, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { FormPart } from '../../ui/FormPart.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { SetUpApp } from './SetUpApp.tsx'

type Standing = Awaited<ReturnType<SecondFactors['list']>>

/** What is open above the page. */
type Step =
  | { readonly kind: 'set-up'; readonly app: NewApp }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'ask-removal'; readonly app: AuthenticatorApp }
  | { readonly kind: 'ask-codes' }

/** A code of an app beside the password: setting it up, taking it off, and the codes for the day that the phone is lost. */
export function TwoStepSignIn({ person }: { person: CurrentUser }) {
  const { t } = useTranslation()
  const session = useSession()
  const { standing, read } = useStanding()
  const { mutate: readPerson } = useCurrentUser()
  const [step, setStep] = useState<Step | null>(null)
  const [isBusy, setBusy] = useState(false)
  const close = () => setStep(null)

  /** Does something at the provider, and says what went wrong with it: `unknown` where it may have been done all the same. */
  const attempt = async (failure: string, work: () => Promise<void>, unknown?: string) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      setStep(null)
      const isUnknown = error instanceof ProviderError && error.code === 'unreachable'
      const reason = (isUnknown && unknown) || reasonOr(error, t('auth.tryAgain'))
      showToast({ title: failure, description: reason, tone: 'destructive' })
    }
    setBusy(false)
  }
  const factors = async () => (await session.provider()).secondFactors
  const begin = () =>
    attempt(t('account.factor.startFailed'), async () =>
      setStep({ kind: 'set-up', app: await (await factors()).begin() }),
    )
  const makeCodes = () =>
    attempt(
      t('account.factor.newCodesFailed'),
      async () => {
        try {
          const codes = await (await factors()).newCodes()
          setStep({ kind: 'codes', codes })
        } finally {
          await read()
        }
      },
      t('account.factor.newCodesUnknown'),
    )
  const isOn = async () => {
    setStep(null)
    showToast({ title: t('account.factor.on'), description: t('account.factor.onText') })
    await Promise.all([read(), readPerson()])
    // Of an app that is added to another, the codes are there already.
    if (standing !== 'failed' && standing?.codesLeft === 0) await makeCodes()
  }
  const remove = (app: AuthenticatorApp, isLast: boolean) =>
    attempt(t('account.factor.removeFailed'), async () => {
      await session.signInThrough(async (provider) => await provider.secondFactors.remove(app.id))
      setStep(null)
      showToast({ title: t(isLast ? 'account.factor.removedLast' : 'account.factor.removed') })
      if (session.state().status === 'signed-in') await Promise.all([read(), readPerson()])
    })

  return (
    <FormPart title={t('account.factor.title')} intro={t('account.factor.intro')}>
      {person.needsSecondFactor && <Notice tone="warn">{t('account.factor.needed')}</Notice>}
      {standing === 'failed' && <Quiet>{t('account.factor.loadFailed')}</Quiet>}
      {standing !== null && standing !== 'failed' && (
        <>
          <Factors
            standing={standing}
            busy={isBusy && step === null}
            onRemove={(app) => setStep({ kind: 'ask-removal', app })}
            onNewCodes={() => (standing.codesLeft === 0 ? void makeCodes() : setStep({ kind: 'ask-codes' }))}
          />
          <div>
            <SetUp
              tone={standing.apps.length === 0 ? 'primary' : 'secondary'}
              busy={isBusy && step === null}
              busyLabel={t('account.factor.starting')}
              onClick={() => void begin()}
            >
              {t(standing.apps.length === 0 ? 'account.factor.setUp' : 'account.factor.another')}
            </SetUp>
          </div>
        </>
      )}
      {step?.kind === 'set-up' && <SetUpApp app={step.app} onClose={close} onDone={() => void isOn()} />}
      {step?.kind === 'codes' && <RecoveryCodes codes={step.codes} username={person.username} onClose={close} />}
      {step?.kind === 'ask-codes' && (
        <Confirm
          title={t('account.factor.newCodesQuestion')}
          words={t('account.factor.newCodesText')}
          tone="primary"
          confirmLabel={t('account.factor.newCodes')}
          cancelLabel={t('account.cancel')}
          busy={isBusy}
          busyLabel={t('account.factor.newCodesBusy')}
          onConfirm={() => void makeCodes()}
          onCancel={close}
        />
      )}
      {step?.kind === 'ask-removal' && standing !== null && standing !== 'failed' && (
        <Confirm
          title={t('account.factor.removeQuestion', { name: step.app.name })}
          words={t(removalWords(standing.apps.length === 1, person.isAdmin))}
          confirmLabel={t('account.factor.remove')}
          cancelLabel={t('account.cancel')}
          busy={isBusy}
          busyLabel={t('account.factor.removing')}
          onConfirm={() => void remove(step.app, standing.apps.length === 1)}
          onCancel={close}
        />
      )}
    </FormPart>
  )
}

/** The apps that somebody has, and how many recovery codes are left. */
function Factors({
  standing: { apps, codesLeft },
  busy,
  onRemove,
  onNewCodes,
}: {
  standing: Standing
  busy: boolean
  onRemove: (app: AuthenticatorApp) => void
  onNewCodes: () => void
}) {
  const { t } = useTranslation()
  if (apps.length === 0) return <Quiet>{t('account.factor.off')}</Quiet>
  return (
    <Rows>
      {apps.map((app) => (
        <Row key={app.id}>
          <span>
            <strong>{app.name}</strong>
            <Quiet>{t('account.factor.since', { date: formatDay(app.addedAt) })}</Quiet>
          </span>
          <Button
            tone="secondary"
            size="small"
            aria-label={t('account.factor.removeApp', { name: app.name })}
            onClick={() => onRemove(app)}
          >
            {t('account.factor.remove')}
          </Button>
        </Row>
      ))}
      {codesLeft !== null && (
        <Row>
          <span>
            <strong>{t('account.factor.codes')}</strong>
            <Quiet>{t('account.factor.codesLeft', { count: codesLeft })}</Quiet>
          </span>
          <Button tone="secondary" size="small" busy={busy} onClick={onNewCodes}>
            {t('account.factor.newCodes')}
          </Button>
        </Row>
      )}
    </Rows>
  )
}

function removalWords(isLast: boolean, isAdmin: boolean) {
  if (!isLast) return 'account.factor.removeOther'
  return isAdmin ? 'account.factor.removeLastAdmin' : 'account.factor.removeLast'
}

/** What the provider says of the person; `null` until it has. */
function useStanding() {
  const session = useSession()
  const [standing, setStanding] = useState<Standing | 'failed' | null>(null)
  const read = useCallback(async () => {
    try {
      setStanding(await (await session.provider()).secondFactors.list())
    } catch {
      setStanding('failed')
    }
  }, [session])
  useEffect(() => {
    void read()
  }, [read])
  return { standing, read }
}

const Rows = styled.div`
  display: grid;
  gap: ${space(4)};
`

const Row = styled.div`
  display: flex;
  gap: ${space(4)};
  align-items: center;
  justify-content: space-between;
`

/** Many words, for large text. */
const SetUp = styled(Button)`
  white-space: normal;
`

const Quiet = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`
