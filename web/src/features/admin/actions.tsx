import { type ReactNode, useRef } from 'react'
import { ApiError, shownMessage } from '../../api/api-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useUnsentWords } from '../../lib/use-unsent-words.ts'
import { ReasonDialog } from '../../ui/ReasonDialog.tsx'
import { showToast } from '../../ui/toast-store.ts'

/** Something that an administrator is asked about before it is done. */
export interface Question {
  readonly title: string
  readonly words: ReactNode
  readonly confirm: string
  readonly tone?: 'danger' | 'primary'
  readonly isReasonRequired?: boolean
  readonly suggestion?: string
  readonly isShort?: boolean
  /** In place of what it says by itself. */
  readonly reasonLabel?: string
  readonly reasonHelp?: string
}

/** What is done, and what there is to say of it. */
export interface Deed<Thing> {
  /** `reason` is `null` where none is given. */
  readonly run: (reason: string | null) => Promise<Thing>
  /** Shows the thing as it is now; `null` when it is gone. */
  readonly onChanged: (thing: Thing | null) => void
  /** Reads the thing again when it was refused, for somebody else may have been faster. */
  readonly reread?: () => Promise<Thing>
  /** How it stands, to tell whether somebody else has changed it meanwhile. */
  readonly standing?: { readonly before: string; readonly of: (thing: Thing) => string }
  readonly done: string
}

/** Asks, does it, and says in a toast what came of it. */
export function ActionDialog<Thing>({
  question,
  deed,
  onClose,
}: {
  question: Question
  deed: Deed<Thing>
  onClose: () => void
}) {
  const { t } = useTranslation()
  const unsent = useUnsentWords()
  // Its answer may be what was lost.
  const mayBeDone = useRef(false)
  const run = async (text: string) => {
    const problem = await perform(deed, text === '' ? null : text, {
      success: t('admin.success'),
      error: t('problem.error'),
      faster: t('admin.faster'),
      ...(mayBeDone.current && { changed: t('admin.mayBeDone') }),
    })
    if (problem === null) onClose()
    else if (problem.mayBeDone) mayBeDone.current = true
    return problem?.words ?? null
  }
  return (
    <ReasonDialog
      words={{
        title: question.title,
        label: question.reasonLabel ?? t('admin.reason'),
        help: question.reasonHelp ?? t(question.isReasonRequired ? 'admin.reasonHelp' : 'admin.reasonOptional'),
        close: t('shell.closeToast'),
        keep: t('admin.keep'),
        confirm: question.confirm,
        busy: t('admin.busy'),
        unsent,
      }}
      intro={question.words}
      missing={question.isReasonRequired ? t('admin.reasonMissing') : undefined}
      suggestion={question.suggestion ?? ''}
      tone={question.tone ?? 'danger'}
      isShort={question.isShort ?? false}
      onConfirm={run}
      onClose={onClose}
    />
  )
}

interface Problem {
  readonly words: string
  /** Nobody said that it was not done. */
  readonly mayBeDone: boolean
}

/**
 * Does it. `words.changed` is all that is said of what stands otherwise by now, in place of the refusal and that somebody was faster.
 * @returns what went wrong when the same may work in a moment, `null` when there is nothing more to ask
 */
async function perform<Thing>(
  { run, onChanged, reread, standing, done }: Deed<Thing>,
  reason: string | null,
  words: { readonly success: string; readonly error: string; readonly faster: string; readonly changed?: string },
): Promise<Problem | null> {
  try {
    onChanged(await run(reason))
    showToast({ title: words.success, description: done })
    return null
  } catch (error) {
    const shown = shownMessage(error)
    const status = error instanceof ApiError ? error.status : 0
    if (status !== 409 && status !== 404) {
      showToast({ title: words.error, description: shown, tone: 'destructive' })
      return { words: shown, mayBeDone: status === 0 || status >= 500 }
    }
    const now = await readAgain(reread)
    if (now !== undefined) onChanged(now)
    const isChanged =
      now === null || (now !== undefined && standing !== undefined && standing.of(now) !== standing.before)
    showToast({
      title: words.error,
      description: isChanged ? (words.changed ?? `${shown} ${words.faster}`) : shown,
      tone: 'destructive',
    })
    return null
  }
}

/** `null` when it is gone, `undefined` when that cannot be said. */
async function readAgain<Thing>(reread: (() => Promise<Thing>) | undefined): Promise<Thing | null | undefined> {
  try {
    return await reread?.()
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? null : undefined
  }
}
