import { NumberField as Base } from '@base-ui/react/number-field'
import { Minus, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { color, motion, radius, space, text, tint } from '../theme/theme.ts'
import { Field } from './Field.tsx'

/** A number with a button for one less and one more; the arrow keys do the same. `null` when it is empty. */
export function NumberField({
  label,
  help,
  error,
  value,
  min,
  max,
  step = 1,
  name,
  disabled = false,
  lessLabel,
  moreLabel,
  onChange,
  onBlur,
}: {
  label: ReactNode
  help?: ReactNode
  error?: string | undefined
  value: number | null
  min?: number
  max?: number
  step?: number
  name?: string
  disabled?: boolean
  lessLabel: string
  moreLabel: string
  onChange: (value: number | null) => void
  onBlur?: () => void
}) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => (
        <Base.Root
          id={control.id}
          value={value}
          step={step}
          disabled={disabled}
          {...(name !== undefined && { name })}
          {...(min !== undefined && { min })}
          {...(max !== undefined && { max })}
          onValueChange={onChange}
        >
          <Group>
            <Base.Decrement
              render={
                <Step aria-label={lessLabel}>
                  <Minus size={18} strokeWidth={1.5} aria-hidden />
                </Step>
              }
            />
            <Box
              aria-describedby={control['aria-describedby']}
              aria-invalid={control['aria-invalid']}
              onBlur={onBlur}
            />
            <Base.Increment
              render={
                <Step aria-label={moreLabel}>
                  <Plus size={18} strokeWidth={1.5} aria-hidden />
                </Step>
              }
            />
          </Group>
        </Base.Root>
      )}
    </Field>
  )
}

const Group = styled(Base.Group)`
  display: grid;
  grid-template-columns: auto minmax(0, 1fr) auto;
  border: 1px solid ${color.edge};
  border-radius: ${radius.small};
  background: ${color.surface};
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
  &:has([aria-invalid='true']) { border-color: ${color.live}; }
  &:has(input:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 2px; }
`

const Box = styled(Base.Input)`
  width: 100%;
  min-width: 0;
  min-height: ${space(11.5)};
  padding: 0 ${space(2)};
  border: 0;
  background: none;
  /* A phone zooms in on a smaller one. */
  font-size: 1rem;
  font-variant-numeric: tabular-nums;
  text-align: center;
  &:focus-visible { outline: none; }
`

const Step = styled.button`
  display: grid;
  place-items: center;
  width: ${space(11)};
  padding: 0;
  border: 0;
  background: none;
  color: ${color.muted};
  font-size: ${text.lead};
  &:hover:enabled { background: ${tint('ink', 6)}; color: ${color.ink}; }
  &:disabled { opacity: 0.5; cursor: default; }
`
