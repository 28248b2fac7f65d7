import type { Language } from '@wangian/contracts/languages.ts'
import { type PushTopic, pushRoutes, pushTopics } from '@wangian/contracts/push.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { useApi } from '../../api/use-api.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { chooseTopics, type DeviceStanding, standingOf, turnOff, turnOn } from '../../push/device.ts'
import { storedDevice } from '../../push/stored-device.ts'
import { color, space } from '../../theme/theme.ts'
import { Switch } from '../../ui/Choices.tsx'
import { FormPart } from '../../ui/FormPart.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast-store.ts'

/** Whether this browser shows notices while the site is not open, and of what. Where the server pushes nothing, nothing is said of it. */
export function DeviceNotices({ userId }: { userId: number }) {
  const { t } = useTranslation()
  const { data } = useApi(pushRoutes.getPushKey, {})
  if (!data?.key) return null
  return (
    <FormPart title={t('account.device.title')} intro={t('account.device.intro')}>
      <Device userId={userId} />
    </FormPart>
  )
}

function Device({ userId }: { userId: number }) {
  const { t, language } = useTranslation()
  const person = { userId, language }
  const { standing, setStanding } = useStanding(userId)
  const [isBusy, setBusy] = useState(false)
  const [hasFailed, setFailed] = useState(false)

  async function turn(on: boolean) {
    setBusy(true)
    setFailed(false)
    try {
      if (on) setStanding(await turnOn(person))
      else await turnOff().then(() => setStanding('off'))
    } catch {
      setFailed(true)
    }
    setBusy(false)
  }

  if (standing === null) return null
  if (standing === 'unsupported') return <Notice>{t('account.device.unsupported')}</Notice>
  if (standing === 'blocked') {
    return (
      <Notice tone="warn" title={t('account.device.blocked')}>
        {t('account.device.blockedText')}
      </Notice>
    )
  }
  const isOn = standing === 'on'
  return (
    <>
      <Switch
        label={t('account.device.show')}
        help={t(isBusy ? 'account.device.busy' : isOn ? 'account.device.on' : 'account.device.off')}
        checked={isOn}
        // Not disabled, which would take the focus away from who has pressed it.
        aria-disabled={isBusy || undefined}
        onChange={(event) => {
          if (!isBusy) void turn(event.target.checked)
        }}
      />
      {hasFailed && (
        <Notice tone="live" title={t(isOn ? 'account.device.offFailed' : 'account.device.onFailed')}>
          {t(isOn ? 'account.device.offFailedText' : 'account.device.onFailedText')}
        </Notice>
      )}
      {isOn && <Topics person={person} />}
    </>
  )
}

function Topics({ person }: { person: { userId: number; language: Language } }) {
  const { t } = useTranslation()
  const [topics, setTopics] = useState<readonly PushTopic[]>(() => storedDevice()?.topics ?? pushTopics)
  const newest = useRef(topics)

  async function choose(topic: PushTopic, isWanted: boolean) {
    const chosen = pushTopics.filter((each) => (each === topic ? isWanted : topics.includes(each)))
    newest.current = chosen
    setTopics(chosen)
    try {
      await chooseTopics(person, chosen)
    } catch (error) {
      // A later choice has this one in it, and shows how that one goes.
      if (newest.current === chosen) setTopics(storedDevice()?.topics ?? topics)
      showToast({ title: t('account.device.saveFailed'), description: shownMessage(error), tone: 'destructive' })
    }
  }

  return (
    <Group aria-label={t('account.device.topics')}>
      {pushTopics.map((topic) => (
        <Switch
          key={topic}
          label={t(`account.device.kinds.${topic}`)}
          checked={topics.includes(topic)}
          onChange={(event) => void choose(topic, event.target.checked)}
        />
      ))}
    </Group>
  )
}

/** As the browser has it, also when somebody allows or forbids it there meanwhile. */
function useStanding(userId: number) {
  const [standing, setStanding] = useState<DeviceStanding | null>(null)
  const read = useCallback(() => void standingOf(userId).then(setStanding), [userId])
  useEffect(() => {
    read()
    const back = () => {
      if (document.visibilityState === 'visible') read()
    }
    document.addEventListener('visibilitychange', back)
    return () => document.removeEventListener('visibilitychange', back)
  }, [read])
  return { standing, setStanding }
}

const Group = styled.fieldset`
  display: grid;
  gap: ${space(2)};
  padding-left: ${space(5)};
  border: 0;
  border-left: 2px solid ${color.line};
`
