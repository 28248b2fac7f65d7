import { useSyncExternalStore } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../lib/use-translation.ts'
import { color, space, text, tint } from '../theme/theme.ts'

/** Says that there is no network, as long as there is none. It is loaded while there is one. */
export function OfflineNotice() {
  const { t } = useTranslation()
  const isOffline = useSyncExternalStore(subscribe, isWithoutNetwork, () => false)
  // There before anything is said, as a live region must be.
  return <div role="status">{isOffline && <Line>{t('problem.offline')}</Line>}</div>
}

const isWithoutNetwork = () => !navigator.onLine

function subscribe(listener: () => void): () => void {
  const events = ['online', 'offline'] as const
  for (const event of events) window.addEventListener(event, listener)
  return () => {
    for (const event of events) window.removeEventListener(event, listener)
  }
}

const Line = styled.p`
  padding: ${space(2)} ${space(5)};
  border-bottom: 1px solid ${tint('warn', 40)};
  background: ${color.surface};
  color: ${color.warn};
  font-size: ${text.small};
  text-align: center;
`
