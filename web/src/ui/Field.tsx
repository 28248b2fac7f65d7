import { type ReactNode, useId } from 'react'
import { styled } from 'styled-components'
import { color, space, text, weight } from '../theme/theme.ts'
import { controlLook } from './Input.tsx'

/** What ties a control to its label and to the text below it. */
export interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** A label above, the control, and below it the help or, in its place, what is wrong. */
export function Field({
  id: givenId,
  label,
  aside,
  help,
  error,
  children,
}: {
  /** For who has to find it from elsewhere. */
  id?: string
  label: ReactNode
  /** At the other end of the label's line. */
  aside?: ReactNode
  help?: ReactNode
  error?: string | undefined
  children: (control: ControlProps) => ReactNode
}) {
  const ownId = useId()
  const id = givenId ?? ownId
  const below = error ?? help
  const describedBy = below ? `${id}-below` : undefined
  return (
    <Frame>
      <Head>
        <Label htmlFor={id}>{label}</Label>
        {aside}
      </Head>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined })}
      {below && (
        <Below id={`${id}-below`} $wrong={Boolean(error)} role={error ? 'alert' : undefined}>
          {below}
        </Below>
      )}
    </Frame>
  )
}

export const TextArea = styled.textarea`
  ${controlLook}
  min-height: ${space(28)};
  resize: vertical;
`

/** With the arrow that our menus have, in the grey that is readable on both schemes. */
export const Select = styled.select`
  ${controlLook}
  padding-right: ${space(10)};
  background-image: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='18' height='18' viewBox='0 0 24 24' fill='none' stroke='%23888077' stroke-width='1.75' stroke-linecap='round' stroke-linejoin='round'%3E%3Cpath d='m6 9 6 6 6-6'/%3E%3C/svg%3E");
  background-repeat: no-repeat;
  background-position: right ${space(3)} center;
  appearance: none;
  cursor: pointer;
`

const Frame = styled.div`
  display: grid;
  gap: ${space(1)};
  align-content: start;
  min-width: 0;
`

const Head = styled.div`
  display: flex;
  gap: ${space(3)};
  align-items: baseline;
  justify-content: space-between;
`

const Label = styled.label`
  font-size: ${text.body};
  font-weight: ${weight.strong};
`

const Below = styled.p<{ $wrong: boolean }>`
  color: ${({ $wrong }) => ($wrong ? color.live : color.muted)};
  font-size: ${text.small};
`
