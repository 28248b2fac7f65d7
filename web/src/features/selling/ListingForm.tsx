import type { ProductImage } from '@wangian/contracts/catalogue.ts'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { isApiError, shownMessage } from '../../api/api-error.ts'
import { formatDateTime } from '../../lib/dates.ts'
import { paths } from '../../paths.ts'
import { from, space } from '../../theme/theme.ts'
import { BottomBar } from '../../ui/BottomBar.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { UnsavedChanges } from '../../ui/UnsavedChanges.tsx'
import { ConditionPart, PerfumePart, PicturesPart, SalePart, TermsPart } from './form-parts.tsx'
import type { Listing } from './listing-rules.ts'
import { type Doing, PublishDialog } from './PublishDialog.tsx'
import { keptPictures } from './pictures.ts'
import type { Failure, Outcome, Plan } from './publish.ts'
import { serverProblems } from './server-problems.ts'
import { type Beginning, useDraft } from './use-draft.ts'
import { type Subject, useListingForm } from './use-listing-form.ts'
import { usePublication } from './use-publication.ts'

interface ListingFormProps {
  readonly sellerId: number
  readonly doing: Doing
  readonly subject: Subject
  readonly images: readonly ProductImage[]
  /** What has to be known before, above the fields. */
  readonly notice?: ReactNode
  /** The auction has got bids since it was read. */
  readonly onFrozen?: () => void
}

/** The one form of all listings: new ones, changed ones and auctions that are opened again. It comes back as it was left. */
export function ListingForm(props: ListingFormProps) {
  const { t } = useTranslation()
  const beginning = useDraft(props.subject.draftKey, props.images)
  // Another one begins anew when the draft is discarded.
  const [begun, setBegun] = useState({ times: 0, isAnew: false })
  if (!beginning) return <Spinner label={t('shell.loading')} />
  return (
    <BegunForm
      key={begun.times}
      {...props}
      beginning={begun.isAnew ? { draft: null, pictures: keptPictures(props.images), lostCount: 0 } : beginning}
      onDiscard={() => setBegun(({ times }) => ({ times: times + 1, isAnew: true }))}
    />
  )
}

function BegunForm({
  sellerId,
  doing,
  subject,
  notice,
  onFrozen,
  beginning,
  onDiscard,
}: ListingFormProps & { beginning: Beginning; onDiscard: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const state = useListingForm(subject, beginning)
  const { form, pictures } = state
  const { publication, run, close } = usePublication((progress) => state.keepProgress(progress, true))
  const [isLeaving, setLeaving] = useState(false)
  const submitted = useRef<Plan | null>(null)
  const draft = useShownDraft(beginning, form)

  const leave = () => {
    const { productId, auctionId } = state.progress()
    state.finish()
    setLeaving(true)
    void navigate(
      auctionId !== null
        ? paths.auction(auctionId)
        : productId !== null
          ? paths.product(productId)
          : paths.sellerDashboard(),
      { replace: true },
    )
  }
  const conclude = (plan: Plan, outcome: Outcome) => {
    if (outcome.kind === 'stopped') {
      state.keepProgress(outcome.progress, false)
      close()
      showToast({ title: failedTitle(outcome), description: shownMessage(outcome.failure.error), tone: 'destructive' })
      for (const { name, message } of serverProblems(outcome.failure.error, subject.kind)) {
        form.setError(name, { type: 'server', message }, { shouldFocus: true })
      }
      if (isFrozenNow(outcome.failure)) onFrozen?.()
      return
    }
    const [failure] = outcome.failures
    if (failure) {
      showToast({ title: t('sell.toasts.images'), description: pictureWords(failure), tone: 'destructive' })
      return
    }
    // One was tried again alone, and others are still missing.
    if (outcome.missingCount > 0) return
    close()
    showToast(doneWords(plan.listing))
    leave()
  }
  const start = async (plan: Plan, onlyPicture?: string) => {
    submitted.current = plan
    const progress = state.progress()
    state.keepProgress(progress, true)
    conclude(plan, await run(plan, progress, onlyPicture))
  }
  const submit = (listing: Listing) =>
    start({
      sellerId,
      listing,
      pictures,
      knownImageIds: subject.knownImageIds,
      picturesFirst: doing !== 'edit',
      isFrozen: subject.isFrozen,
    })

  const failedTitle = ({ failure, wasNew }: Extract<Outcome, { kind: 'stopped' }>) => {
    if (failure.step.kind === 'product') {
      return t(wasNew ? 'sell.toasts.createProductFailed' : 'sell.toasts.updateProductFailed')
    }
    return t(wasNew ? 'sell.toasts.createAuctionFailed' : 'sell.toasts.updateAuctionFailed')
  }
  const pictureWords = ({ step, stage, error }: Failure) => {
    const { number } = step
    if (stage === null) return shownMessage(error)
    const what = t(stage === 'register' ? 'sell.toasts.registerFailed' : 'sell.toasts.uploadFailed', { number })
    return `${what}. ${shownMessage(error)}`
  }
  const doneWords = ({ product, auction }: Listing) => {
    const { name } = product
    if (doing === 'edit') {
      const title = t(subject.kind === 'auction' ? 'sell.toasts.auctionUpdated' : 'sell.toasts.productUpdated')
      return { title, description: t('sell.toasts.updatedText', { name }) }
    }
    if (auction === null) {
      return { title: t('sell.toasts.productCreated'), description: t('sell.toasts.productCreatedText', { name }) }
    }
    const what = auction.startsAt ? 'sell.toasts.auctionScheduledText' : 'sell.toasts.auctionCreatedText'
    return { title: t('sell.toasts.auctionCreated'), description: t(what, { name }) }
  }

  const sees = { form, subject }
  const isBusy = publication?.isRunning ?? false
  return (
    <>
      <Form noValidate onSubmit={(event) => void form.handleSubmit(submit)(event)}>
        <Notices>
          {draft && (
            <Notice title={t('sell.draft.restored')}>
              <p>{draft.words}</p>
              {beginning.lostCount > 0 && <p>{t('sell.pictures.lost', { count: beginning.lostCount })}</p>}
              <Choices>
                {draft.isUnderWay && (
                  <Button type="submit" size="small">
                    {t('sell.draft.resume')}
                  </Button>
                )}
                <Button
                  size="small"
                  tone="secondary"
                  onClick={() => {
                    state.finish()
                    onDiscard()
                  }}
                >
                  {t('sell.draft.discard')}
                </Button>
              </Choices>
            </Notice>
          )}
          {notice}
        </Notices>
        <PicturesPart {...sees} pictures={pictures} onPictures={state.changePictures} />
        <PerfumePart {...sees} />
        <ConditionPart {...sees} />
        {subject.kind === 'fixed' ? <SalePart {...sees} /> : <TermsPart {...sees} isRelisting={doing === 'relist'} />}
        <End>
          <BottomBar>
            <Button
              type="submit"
              wide
              busy={isBusy}
              busyLabel={t(`sell.submitting.${doing}`)}
              disabled={doing === 'edit' && !state.isDirty}
            >
              {t(`sell.submit.${doing}`)}
            </Button>
          </BottomBar>
        </End>
      </Form>
      {publication && (
        <PublishDialog
          doing={doing}
          isRunning={isBusy}
          steps={publication.steps}
          onRetry={(key) => submitted.current && void start(submitted.current, key)}
          onFinish={leave}
        />
      )}
      {state.isDirty && !isLeaving && (
        <UnsavedChanges
          words={{
            title: t('sell.unsaved.title'),
            text: t(doing === 'edit' ? 'sell.unsaved.editText' : 'sell.unsaved.text'),
            stay: t('sell.unsaved.stay'),
            leave: t('sell.unsaved.leave'),
            close: t('sell.unsaved.close'),
          }}
        />
      )}
    </>
  )
}

/** What is said of the draft that the form began with. */
function useShownDraft({ draft }: Beginning, form: { trigger: () => Promise<boolean> }) {
  const { t } = useTranslation()
  const isUnderWay = draft?.isUnderWay ?? false
  useEffect(() => {
    if (isUnderWay) void form.trigger()
  }, [isUnderWay, form])
  if (!draft) return null
  if (isUnderWay) return { isUnderWay, words: t('sell.draft.underWay') }
  const { productId, savedAuction } = draft.progress
  if (productId !== null && savedAuction === null) return { isUnderWay, words: t('sell.draft.listedText') }
  const moment = formatDateTime(new Date(draft.savedAtMs).toISOString())
  return { isUnderWay, words: t('sell.draft.restoredText', { moment }) }
}

function isFrozenNow({ error }: Failure): boolean {
  return isApiError(error, 'auction-has-bids')
}

const Form = styled.form`
  display: grid;
  gap: ${space(10)};
  max-width: 60rem;
  margin-top: ${space(8)};
`

const Notices = styled.div`
  display: grid;
  gap: ${space(4)};
  &:empty { display: none; }
`

const Choices = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  margin-top: ${space(3)};
`

/** In line with the fields. */
const End = styled.div`
  ${from.tablet} { justify-self: start; min-width: ${space(60)}; }
  ${from.desktop} { justify-self: stretch; margin-left: calc((100% - ${space(10)}) / 3 + ${space(10)}); }
`
