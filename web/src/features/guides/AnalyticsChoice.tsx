import { styled } from 'styled-components'
import { useAnalyticsAnswer } from '../../lib/use-analytics-answer.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, space, width } from '../../theme/theme.ts'
import { Radio, RadioGroup } from '../../ui/Choices.tsx'

/** Where somebody says whether their visits may be counted, and says otherwise later. Nothing where nobody counts. */
export function AnalyticsChoice() {
  const { t } = useTranslation()
  const state = useAnalyticsAnswer()
  if (!state) return null
  const [given, answer] = state
  return (
    <Frame id="analytics">
      <RadioGroup legend={t('analytics.choice')}>
        <p>{t('analytics.choiceText')}</p>
        <Radio
          name="analytics"
          label={t('analytics.agreed')}
          checked={given === 'yes'}
          onChange={() => answer('yes')}
        />
        <Radio name="analytics" label={t('analytics.refused')} checked={given === 'no'} onChange={() => answer('no')} />
      </RadioGroup>
    </Frame>
  )
}

const Frame = styled.div`
  max-width: ${width.prose};
  margin-top: ${space(10)};
  padding-top: ${space(10)};
  border-top: 1px solid ${color.line};
  scroll-margin-top: ${space(24)};
`
