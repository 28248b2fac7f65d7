import { Progress } from '@base-ui/react/progress'
import { keyframes, styled } from 'styled-components'
import { color, motion, radius, space, text } from '../theme/theme.ts'

/** How far something is, in percent; `null` when nobody can say. `words` says it beside the label. */
export function ProgressBar({ label, value, words }: { label: string; value: number | null; words?: string }) {
  return (
    // Without a value a screen reader says itself that it goes on, in the language of who listens; otherwise it would be said in English.
    <Frame value={value} getAriaValueText={(percentage) => percentage ?? ''}>
      <Progress.Label>{label}</Progress.Label>
      {words && <Words>{words}</Words>}
      <Track>
        <Filled />
      </Track>
    </Frame>
  )
}

const Frame = styled(Progress.Root)`
  display: grid;
  grid-template-columns: 1fr auto;
  gap: ${space(1)} ${space(4)};
  font-size: ${text.small};
`

const Words = styled.span`
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
`

const Track = styled(Progress.Track)`
  grid-column: 1 / -1;
  height: ${space(1.5)};
  overflow: hidden;
  border-radius: ${radius.round};
  background: ${color.line};
`

const wander = keyframes`
  from { transform: translateX(-100%); }
  to { transform: translateX(250%); }
`

const Filled = styled(Progress.Indicator)`
  border-radius: ${radius.round};
  background: ${color.accent};
  transition: width ${motion.calm};
  &[data-indeterminate] { width: 40%; animation: ${wander} 1.6s ease-in-out infinite; }
`
