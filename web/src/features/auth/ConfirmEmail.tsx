import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useLocation } from 'react-router-dom'
import { formatClock } from '../../lib/durations.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useSession } from '../../session/use-session.ts'
import { showToast } from '../../ui/toast-store.ts'
import { TextButton } from './AuthForm.tsx'
import { forgetBegun } from './begun.ts'
import { CodeField } from './CodeField.tsx'
import { isProviderError, reasonOf } from './reasons.ts'
import { MailedCode } from './schemas.ts'
import { useCooldown } from './use-cooldown.ts'

/** The provider sends one mail a minute to an address. */
const cooldownS = 60

/**
 * Verifying an address by the code in the mail, for whoever reads mail on another device, and sending the mail again.
 * `login` is the address, or what stands for it. The page around it leads on when that worked.
 */
export function ConfirmEmail({ login, wasJustSent }: { login: string; wasJustSent: boolean }) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const session = useSession()
  // Another visit of the same page is about another mail; a reload is the same visit.
  const { key: visit } = useLocation()
  const [secondsLeft, restart, end] = useCooldown(cooldownS, wasJustSent, `${visit} ${login}`)
  const { register, handleSubmit, formState, setError } = useForm({
    resolver: zodResolver(MailedCode),
    defaultValues: { digits: '' },
  })
  const { errors, isSubmitting } = formState

  const submit = async ({ digits }: { digits: string }) => {
    try {
      await session.signInThrough((provider) => provider.verifyDigits(login, digits))
      forgetBegun('sign-up')
    } catch (error) {
      const isWrong = isProviderError(error, 'otp_expired')
      setError(
        'digits',
        { message: isWrong ? 'auth.codeWrong' : reasonOf(error, t('auth.tryAgain')) },
        { shouldFocus: true },
      )
    }
  }
  const sendAgain = async () => {
    restart()
    try {
      await (await session.provider()).resendSignUpMail(login)
      showToast({ title: t('auth.sentAgain'), description: t('auth.sentAgainText') })
    } catch (error) {
      // What was not sent may be tried again at once, unless the provider says that too much was.
      if (!isProviderError(error, 'over_email_send_rate_limit')) end()
      showToast({ title: t('auth.sendFailed'), description: reasonOf(error, t('auth.tryAgain')), tone: 'destructive' })
    }
  }

  return (
    <form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
      <CodeField
        error={wordsOf(errors.digits)}
        submit={t('auth.verifyCode')}
        busy={isSubmitting}
        busyLabel={t('auth.verifyingCode')}
        {...register('digits')}
      />
      <TextButton type="button" disabled={secondsLeft > 0} onClick={() => void sendAgain()}>
        {secondsLeft > 0 ? t('auth.sendAgainIn', { time: formatClock(secondsLeft * 1000) }) : t('auth.sendAgain')}
      </TextButton>
    </form>
  )
}
