import type { ProductImage } from '@wangian/contracts/catalogue.ts'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { from, space } from '../../theme/theme.ts'
import { BottomBar } from '../../ui/BottomBar.tsx'
import { Button } from '../../ui/Button.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { UnsavedChanges } from '../../ui/UnsavedChanges.tsx'
import { DraftNotice, useShownDraft } from './DraftNotice.tsx'
import type { Progress } from './draft-store.ts'
import { ConditionPart, FrozenParts, PerfumePart, PicturesPart, SalePart, TermsPart } from './form-parts.tsx'
import { type Doing, PublishDialog } from './PublishDialog.tsx'
import { type Beginning, freshBeginning, frozenBeginning, useDraft } from './use-draft.ts'
import { useListingForm } from './use-listing-form.ts'
import { type Submission, useSubmission } from './use-submission.ts'

interface ListingFormProps extends Submission {
  readonly images: readonly ProductImage[]
  /** What has to be known before, above the fields. */
  readonly notice?: ReactNode
}

/** The one form of all listings: new ones, changed ones and auctions that are opened again. It comes back as it was left. */
export function ListingForm(props: ListingFormProps) {
  const { t } = useTranslation()
  const { subject, images } = props
  const beginning = useDraft(subject.draftKey, images)
  // Another one begins anew when the draft is discarded.
  const [begun, setBegun] = useState({ times: 0, isAnew: false })
  if (!beginning) return <Spinner label={t('shell.loading')} />
  const left = subject.isFrozen ? frozenBeginning(beginning, images) : beginning
  return (
    <BegunForm
      key={begun.times}
      {...props}
      beginning={begun.isAnew ? freshBeginning(images) : left}
      isAnew={begun.isAnew}
      onDiscard={() => setBegun(({ times }) => ({ times: times + 1, isAnew: true }))}
    />
  )
}

function BegunForm({
  beginning,
  isAnew,
  onDiscard,
  ...props
}: ListingFormProps & { beginning: Beginning; isAnew: boolean; onDiscard: () => void }) {
  const { doing, subject, notice } = props
  const { t } = useTranslation()
  const state = useListingForm(subject, beginning)
  const { form, pictures } = state
  const { publication, isLeaving, submit, retry, leave, close } = useSubmission(props, state)
  const draft = useShownDraft(beginning, form)
  const discard = () => {
    state.finish()
    onDiscard()
  }
  // What was pressed to begin anew is gone.
  const frame = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isAnew) frame.current?.focus({ preventScroll: true })
  }, [isAnew])
  const sees = { form, subject }
  const isBusy = publication?.isRunning ?? false
  return (
    <>
      <Form ref={frame} tabIndex={-1} noValidate onSubmit={(event) => void form.handleSubmit(submit)(event)}>
        <Notices>
          {draft && <DraftNotice draft={draft} onDiscard={discard} />}
          {notice}
        </Notices>
        {subject.isFrozen ? (
          <FrozenParts {...sees} pictures={pictures} />
        ) : (
          <>
            <PicturesPart {...sees} pictures={pictures} onPictures={state.changePictures} />
            <PerfumePart {...sees} />
            <ConditionPart {...sees} />
            {subject.kind === 'fixed' ? (
              <SalePart {...sees} />
            ) : (
              <TermsPart {...sees} isRelisting={doing === 'relist'} />
            )}
          </>
        )}
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
          onRetry={retry}
          onFinish={leave}
          onClose={close}
        />
      )}
      {state.isDirty && !isLeaving && <UnsavedListing doing={doing} progress={state.progress()} />}
    </>
  )
}

function UnsavedListing({ doing, progress }: { doing: Doing; progress: Progress }) {
  const { t } = useTranslation()
  const isListed = (doing === 'relist' ? progress.auctionId : progress.productId) !== null
  const text = doing === 'edit' ? 'sell.unsaved.editText' : isListed ? 'sell.unsaved.listedText' : 'sell.unsaved.text'
  return (
    <UnsavedChanges
      words={{
        title: t('sell.unsaved.title'),
        text: t(text),
        stay: t('sell.unsaved.stay'),
        leave: t('sell.unsaved.leave'),
        close: t('sell.unsaved.close'),
      }}
    />
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(10)};
  max-width: 60rem;
  margin-top: ${space(8)};
  &:focus { outline: none; }
`

const Notices = styled.div`
  display: grid;
  gap: ${space(4)};
  &:empty { display: none; }
`

/** In line with the fields. */
const End = styled.div`
  ${from.tablet} { justify-self: start; min-width: ${space(60)}; }
  ${from.desktop} { justify-self: stretch; margin-left: calc((100% - ${space(10)}) / 3 + ${space(10)}); }
`
