import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, type ReactNode, useState } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../lib/use-translation.ts'
import { color, radius, space, text } from '../theme/theme.ts'
import { Field } from './Field.tsx'
import { Input } from './Input.tsx'
import { VisuallyHidden } from './VisuallyHidden.tsx'

type InputProps = Omit<ComponentProps<typeof Input>, 'type' | 'autoComplete'>

/** A field for a password: it can be shown, and says when Caps Lock is on. */
export function PasswordField({
  label,
  help,
  error,
  autoComplete,
  onBlur,
  ...input
}: InputProps & {
  label: ReactNode
  help?: ReactNode
  error?: string | undefined
  autoComplete: 'current-password' | 'new-password'
}) {
  const { t } = useTranslation()
  const [isShown, setShown] = useState(false)
  const [isCapsLockOn, setCapsLockOn] = useState(false)
  const watchCapsLock = (event: KeyboardEvent<HTMLInputElement>) =>
    setCapsLockOn(event.getModifierState?.('CapsLock') ?? false)
  return (
    <Field
      label={label}
      aside={<Hint role="status">{isCapsLockOn && t('password.capsLock')}</Hint>}
      help={help}
      error={error}
    >
      {(control) => (
        <Frame>
          <Secret
            {...control}
            {...input}
            type={isShown ? 'text' : 'password'}
            autoComplete={autoComplete}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            onKeyDown={watchCapsLock}
            onKeyUp={watchCapsLock}
            onBlur={(event) => {
              setCapsLockOn(false)
              onBlur?.(event)
            }}
          />
          <Toggle type="button" aria-pressed={isShown} aria-controls={control.id} onClick={() => setShown(!isShown)}>
            {isShown ? (
              <EyeOff size={20} strokeWidth={1.5} aria-hidden />
            ) : (
              <Eye size={20} strokeWidth={1.5} aria-hidden />
            )}
            {/* Words and not a label of its own: whoever looks for the field by its label must find one thing. */}
            <VisuallyHidden>{t('password.show')}</VisuallyHidden>
          </Toggle>
        </Frame>
      )}
    </Field>
  )
}

const Frame = styled.div`
  position: relative;
`

const Secret = styled(Input)`
  padding-right: ${space(13)};
  &::-ms-reveal { display: none; }
`

const Toggle = styled.button`
  position: absolute;
  top: ${space(0.5)};
  right: ${space(0.5)};
  display: grid;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  padding: 0;
  border: 0;
  border-radius: ${radius.small};
  background: none;
  color: ${color.muted};
  &:hover, &[aria-pressed='true'] { color: ${color.ink}; }
`

const Hint = styled.span`
  color: ${color.warn};
  font-size: ${text.small};
`
