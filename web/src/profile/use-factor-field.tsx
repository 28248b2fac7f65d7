import { type ReactNode, useState } from 'react'
import { useTranslation } from '../lib/use-translation.ts'
import { ProviderError } from '../session/auth-provider.ts'
import { CodeInput } from '../ui/CodeInput.tsx'
import { Field } from '../ui/Field.tsx'

/** Whoever has a second factor shows it beside a password or a mail, too. The field comes when the provider has asked for it. */
export function useFactorField(): {
  readonly field: ReactNode
  readonly typed: () => string | undefined
  readonly isAsked: (failure: unknown) => boolean
  readonly clear: () => void
} {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | null>(null)
  const field =
    error === null ? null : (
      <Field label={t('auth.factorCode')} help={t('auth.factorHelp')} error={error || undefined}>
        {(control) => (
          <CodeInput
            {...control}
            autoFocus
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
    )
  return {
    field,
    typed: () => code.trim() || undefined,
    /** Whether that is what went wrong; then it is said at the field. */
    isAsked(failure) {
      const refusal = failure instanceof ProviderError ? failure.code : undefined
      const isWrong = refusal === 'mfa_verification_failed'
      if (!isWrong && refusal !== 'insufficient_aal') return false
      setError(isWrong ? t('auth.factorWrong') : '')
      return true
    },
    clear() {
      setCode('')
      setError(null)
    },
  }
}
