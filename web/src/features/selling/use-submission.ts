import { useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { isApiError } from '../../api/api-error.ts'
import { sentenceInPageLanguage } from '../../i18n/in-page-language.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { showToast } from '../../ui/toast-store.ts'
import type { Progress } from './draft-store.ts'
import type { Listing } from './listing-rules.ts'
import { listedToast, pictureToast, refusedToast } from './listing-toasts.ts'
import type { Doing } from './PublishDialog.tsx'
import type { Failure, Outcome, Plan } from './publish.ts'
import { serverProblems } from './server-problems.ts'
import type { Subject, useListingForm } from './use-listing-form.ts'
import { usePublication } from './use-publication.ts'

/** What is listed, and by whom. */
export interface Submission {
  readonly sellerId: number
  readonly doing: Doing
  readonly subject: Subject
  /** The auction has got bids since it was read. */
  readonly onFrozen?: () => void
}

/** Carries out what a form asks for, says what became of it, and leads to what was listed. */
export function useSubmission(
  { sellerId, doing, subject, onFrozen }: Submission,
  state: ReturnType<typeof useListingForm>,
) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { publication, run, close } = usePublication((progress) => state.keepProgress(progress, true))
  const [isLeaving, setLeaving] = useState(false)
  const submitted = useRef<Plan | null>(null)

  const leave = () => {
    const path = pathOf(state.progress())
    state.finish()
    setLeaving(true)
    void navigate(path, { replace: true })
  }
  const stop = ({ progress, failure, wasNew, isGone }: Extract<Outcome, { kind: 'stopped' }>) => {
    state.keepProgress(progress, false)
    if (isGone) state.beginAnew()
    close()
    showToast(refusedToast(failure, wasNew, t))
    for (const { name, message } of serverProblems(failure.error, subject.kind)) {
      state.form.setError(name, { type: 'server', message: sentenceInPageLanguage(message) }, { shouldFocus: true })
    }
    if (isFrozenNow(failure)) onFrozen?.()
  }
  const start = async (plan: Plan, onlyPicture?: string) => {
    submitted.current = plan
    const progress = state.progress()
    state.keepProgress(progress, true)
    const outcome = await run(plan, progress, onlyPicture)
    if (outcome.kind === 'stopped') return stop(outcome)
    const [failure] = outcome.failures
    if (failure) return showToast(pictureToast(failure, t))
    // One was tried again alone, and others are still missing.
    if (outcome.missingCount > 0) return
    close()
    showToast(listedToast(plan.listing, { doing, kind: subject.kind }, t))
    leave()
  }
  const submit = (listing: Listing) =>
    start({
      sellerId,
      listing,
      pictures: state.pictures,
      knownImageIds: subject.knownImageIds,
      makesProduct: doing === 'fixed' || doing === 'auction',
      picturesFirst: doing !== 'edit',
      isFrozen: subject.isFrozen,
    })
  /** One picture, or everything that failed. */
  const retry = (pictureKey?: string) => {
    if (submitted.current) void start(submitted.current, pictureKey)
  }
  return { publication, isLeaving, submit, retry, leave, close }
}

function pathOf({ productId, auctionId }: Progress): string {
  if (auctionId !== null) return paths.auction(auctionId)
  return productId !== null ? paths.product(productId) : paths.sellerDashboard()
}

function isFrozenNow({ error }: Failure): boolean {
  return isApiError(error, 'auction-has-bids')
}
