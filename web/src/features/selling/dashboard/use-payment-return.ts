import type { PaymentOutcome } from '@wangian/contracts/boost.ts'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { sentenceInPageLanguage } from '../../../i18n/in-page-language.ts'
import { cutTo } from '../../../lib/cut.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { showToast } from '../../../ui/toast-store.ts'
import { trackPaid } from '../boost/paid-boost.ts'

const messageLengthMax = 200
const outcomes = ['success', 'pending', 'failed', 'error'] as const satisfies readonly PaymentOutcome[]

/**
 * Says how a payment went that somebody comes back from, and takes it out of the address so that it is said once. Anybody can make such
 * an address: the title is ours, the message is shown as plain text, and nothing else follows from it.
 */
export function usePaymentReturn(): void {
  const { t } = useTranslation()
  const [parameters, setParameters] = useSearchParams()
  const payment = parameters.get('payment')
  const message = parameters.get('message')
  useEffect(() => {
    if (payment === null) return
    const outcome = outcomes.find((known) => known === payment.toLowerCase())
    if (outcome === 'success') trackPaid()
    if (outcome) {
      showToast({
        title: t(`dashboard.payment.${outcome}`),
        description: message === null ? undefined : sentenceInPageLanguage(cutTo(message, messageLengthMax)),
        tone: outcome === 'success' || outcome === 'pending' ? 'default' : 'destructive',
      })
    }
    setParameters(
      (current) => {
        current.delete('payment')
        current.delete('message')
        return current
      },
      { replace: true },
    )
  }, [payment, message, setParameters, t])
}
