import { Check } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { css, styled } from 'styled-components'
import { color, motion, phone, radius, space, text } from '../theme/theme.ts'
import { Fieldset, Legend } from './Fieldset.tsx'

/*
 * These are the browser's own controls in our clothes: what a browser, a form and an assistive device know about a checkbox needs no
 * script, and `register` of a form takes them as they are.
 */

type InputProps = Omit<ComponentProps<'input'>, 'type' | 'size'>

interface Words {
  label: ReactNode
  /** What choosing it means, below the label. */
  help?: ReactNode
  /** At the other end of the line, such as how many there are. */
  aside?: ReactNode
}

/** Yes or no, or one of several that may be chosen together. */
export function Checkbox({ label, help, aside, error, ...input }: Words & InputProps & { error?: string | undefined }) {
  const id = useId()
  const below = error ?? help
  return (
    <div>
      <Line>
        <Mark $round={false}>
          <input
            {...input}
            type="checkbox"
            aria-invalid={error ? true : undefined}
            aria-describedby={below ? id : undefined}
          />
          <Check size={14} strokeWidth={2.5} aria-hidden />
        </Mark>
        <Label>{label}</Label>
        {aside !== undefined && <Aside>{aside}</Aside>}
      </Line>
      {below && (
        <Below id={id} $wrong={Boolean(error)} role={error ? 'alert' : undefined}>
          {below}
        </Below>
      )}
    </div>
  )
}

/** Exactly one of several. `children` are `Radio`s with the same `name`. */
export function RadioGroup({ legend, children }: { legend: ReactNode; children: ReactNode }) {
  return (
    <Fieldset>
      <Legend>{legend}</Legend>
      {children}
    </Fieldset>
  )
}

export function Radio({ label, help, aside, ...input }: Words & InputProps & { name: string }) {
  const id = useId()
  return (
    <div>
      <Line>
        <Mark $round>
          <input {...input} type="radio" aria-describedby={help ? id : undefined} />
          <Dot aria-hidden />
        </Mark>
        <Label>{label}</Label>
        {aside !== undefined && <Aside>{aside}</Aside>}
      </Line>
      {help && (
        <Below id={id} $wrong={false}>
          {help}
        </Below>
      )}
    </div>
  )
}

/** On or off, in force at once and not with a form. */
export function Switch({ label, help, ...input }: Omit<Words, 'aside'> & InputProps) {
  const id = useId()
  return (
    <SwitchLine>
      <span>
        <Label>{label}</Label>
        {help && <SwitchHelp id={id}>{help}</SwitchHelp>}
      </span>
      <Rail>
        <SwitchInput {...input} aria-describedby={help ? id : undefined} />
        <Knob aria-hidden />
      </Rail>
    </SwitchLine>
  )
}

const lineLook = css`
  display: flex;
  gap: ${space(3)};
  align-items: center;
  min-height: ${space(10)};
  ${phone} { min-height: ${space(11)}; }
  cursor: pointer;
  &:has(:disabled) { color: ${color.muted}; cursor: default; }
`

const Line = styled.label`
  ${lineLook}
`

const SwitchLine = styled.label`
  ${lineLook}
  justify-content: space-between;
`

const Label = styled.span`
  min-width: 0;
  overflow-wrap: anywhere;
`

const Aside = styled.span`
  margin-left: auto;
  color: ${color.muted};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
`

/** Where it scrolls below something, it stays there. */
const Mark = styled.span<{ $round: boolean }>`
  position: relative;
  isolation: isolate;
  display: grid;
  flex: none;
  place-items: center;
  width: ${space(5.5)};
  height: ${space(5.5)};
  color: ${color.onAccent};
  & > * { grid-area: 1 / 1; }
  svg, span { opacity: 0; pointer-events: none; transition: opacity ${motion.quick}; }
  input:checked + * { opacity: 1; }
  input {
    width: 100%;
    height: 100%;
    margin: 0;
    border: 1px solid ${color.edge};
    border-radius: ${({ $round }) => ($round ? radius.round : radius.small)};
    background: ${color.surface};
    appearance: none;
    cursor: inherit;
    transition: background-color ${motion.quick}, border-color ${motion.quick};
  }
  input:hover:enabled { border-color: ${color.ink}; }
  input:checked { border-color: ${color.accent}; background: ${color.accent}; }
  input[aria-invalid] { border-color: ${color.live}; }
  input:disabled { opacity: 0.5; }
  & > svg, & > span { z-index: 1; }
`

const Dot = styled.span`
  width: ${space(2)};
  height: ${space(2)};
  border-radius: ${radius.round};
  background: ${color.onAccent};
`

const Below = styled.p<{ $wrong: boolean }>`
  padding-left: ${space(8.5)};
  color: ${({ $wrong }) => ($wrong ? color.live : color.muted)};
  font-size: ${text.small};
`

const SwitchHelp = styled.span`
  display: block;
  color: ${color.muted};
  font-size: ${text.small};
`

const Rail = styled.span`
  position: relative;
  display: grid;
  flex: none;
  align-items: center;
  width: ${space(11)};
  height: ${space(6)};
  & > * { grid-area: 1 / 1; }
  input {
    width: 100%;
    height: 100%;
    margin: 0;
    border: 1px solid ${color.edge};
    border-radius: ${radius.round};
    background: ${color.ground};
    appearance: none;
    cursor: inherit;
    transition: background-color ${motion.quick}, border-color ${motion.quick};
  }
  input:checked { border-color: ${color.accent}; background: ${color.accent}; }
  input:checked + * { background: ${color.onAccent}; transform: translateX(${space(5)}); }
  input:disabled { opacity: 0.5; }
`

const SwitchInput = styled.input.attrs({ type: 'checkbox', role: 'switch' })``

const Knob = styled.span`
  width: ${space(4)};
  height: ${space(4)};
  margin-left: ${space(1)};
  border-radius: ${radius.round};
  background: ${color.edge};
  pointer-events: none;
  transition: transform ${motion.quick}, background-color ${motion.quick};
`
