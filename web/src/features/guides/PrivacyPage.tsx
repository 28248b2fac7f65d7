import { AnalyticsChoice } from './AnalyticsChoice.tsx'
import { GuidePage } from './GuidePage.tsx'

export default function PrivacyPage() {
  return (
    <GuidePage name="privacy">
      <AnalyticsChoice />
    </GuidePage>
  )
}
