import type { ComponentProps } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeInput } from '../../ui/CodeInput.tsx'
import { Field } from '../../ui/Field.tsx'
import type { Input } from '../../ui/Input.tsx'

/** The six digits of a mail, with the button that uses them. */
export function CodeField({
  error,
  submit,
  busy = false,
  busyLabel,
  ...input
}: Omit<ComponentProps<typeof Input>, 'type'> & {
  error: string | undefined
  submit: string
  busy?: boolean
  busyLabel?: string
}) {
  const { t } = useTranslation()
  return (
    <Field label={t('auth.code')} error={error}>
      {(control) => (
        <Row>
          <CodeInput {...control} {...input} autoComplete="one-time-code" inputMode="numeric" maxLength={lengthMax} />
          <Button type="submit" tone="secondary" busy={busy} busyLabel={busyLabel ?? submit}>
            {submit}
          </Button>
        </Row>
      )}
    </Field>
  )
}

/** Six digits, and the blanks that come along when somebody copies them. */
const lengthMax = 12

const Row = styled.div`
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: ${space(3)};
`
