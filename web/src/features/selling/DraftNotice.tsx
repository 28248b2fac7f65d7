import { useEffect } from 'react'
import { styled } from 'styled-components'
import { formatDateTime } from '../../lib/date-time.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import type { Beginning } from './use-draft.ts'

interface ShownDraft {
  readonly words: string
  /** Sending it has begun, and can be taken up again. */
  readonly isUnderWay: boolean
  /** Pictures whose files are gone. */
  readonly lostCount: number
}

/** Says that a form began with what was left of it, and offers to begin anew. */
export function DraftNotice({ draft, onDiscard }: { draft: ShownDraft; onDiscard: () => void }) {
  const { t } = useTranslation()
  return (
    <Notice title={t('sell.draft.restored')}>
      <p>{draft.words}</p>
      {draft.lostCount > 0 && <p>{t('sell.pictures.lost', { count: draft.lostCount })}</p>}
      <Choices>
        {draft.isUnderWay && (
          <Button type="submit" size="small">
            {t('sell.draft.resume')}
          </Button>
        )}
        <Button size="small" tone="secondary" onClick={onDiscard}>
          {t('sell.draft.discard')}
        </Button>
      </Choices>
    </Notice>
  )
}

/** What is said of the draft that the form began with. */
export function useShownDraft(
  { draft, lostCount }: Beginning,
  form: { trigger: () => Promise<boolean> },
): ShownDraft | null {
  const { t } = useTranslation()
  const isUnderWay = draft?.isUnderWay ?? false
  useEffect(() => {
    if (isUnderWay) void form.trigger()
  }, [isUnderWay, form])
  if (!draft) return null
  if (isUnderWay) return { isUnderWay, lostCount, words: t('sell.draft.underWay') }
  const { productId, savedAuction } = draft.progress
  if (productId !== null && savedAuction === null) {
    return { isUnderWay, lostCount, words: t('sell.draft.listedText') }
  }
  const moment = formatDateTime(new Date(draft.savedAtMs).toISOString())
  return { isUnderWay, lostCount, words: t('sell.draft.restoredText', { moment }) }
}

const Choices = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  margin-top: ${space(3)};
`
