import { Suspense, useState } from 'react'
import { useCarriedFavorites } from '../cards/use-carried-favorites.ts'
import { loadWords } from '../i18n/i18n.ts'
import { analyticsId, storedAnswer } from '../lib/analytics-answer.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { useToldDevice } from '../push/use-told-device.ts'
import { useToldLanguage } from '../session/told-language.ts'
import { OfflineNotice } from './OfflineNotice.tsx'

/** Only for whoever has not answered yet, where there is something to ask. */
const AnalyticsQuestion = lazyPart(
  async () => (await Promise.all([import('./AnalyticsQuestion.tsx'), loadWords()]))[0].AnalyticsQuestion,
)

/** What belongs to every page and not to its first moments. */
export function LaterParts() {
  useToldLanguage()
  useToldDevice()
  useCarriedFavorites()
  // Whoever has a tag of their own in the page asks by themselves.
  const [isAsked] = useState(() => !window.gtag && analyticsId() !== undefined && storedAnswer() === null)
  return (
    <>
      <OfflineNotice />
      {isAsked && (
        <Suspense fallback={null}>
          <AnalyticsQuestion />
        </Suspense>
      )}
    </>
  )
}
