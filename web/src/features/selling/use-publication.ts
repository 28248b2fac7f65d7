import { useState } from 'react'
import { useSWRConfig } from 'swr'
import type { Progress } from './draft-store.ts'
import { type Outcome, type Plan, publish, type Step, type StepState, stepsOf } from './publish.ts'

export interface StepView {
  readonly step: Step
  readonly state: StepState
}

interface Publication {
  readonly isRunning: boolean
  readonly steps: readonly StepView[]
}

const listKeys = /^(\/api\/(products|auctions|seller|sellers|favorites)|home-|recent-)/

/** Carries out what a form asks for, and shows how far it is; `null` while there is nothing to show. */
export function usePublication(save: (progress: Progress) => void) {
  const { mutate } = useSWRConfig()
  const [publication, setPublication] = useState<Publication | null>(null)

  const run = async (plan: Plan, progress: Progress, onlyPicture?: string): Promise<Outcome> => {
    const isLeft = ({ kind, key }: Step) => kind === 'picture' && onlyPicture !== undefined && key !== onlyPicture
    const fresh = stepsOf(plan, progress)
      .filter((step) => !isLeft(step))
      .map((step): StepView => ({ step, state: { status: 'waiting' } }))
    setPublication((before) => ({
      isRunning: true,
      // What another try need not do again stays in sight.
      steps: before ? before.steps.map((each) => fresh.find(isOf(each.step)) ?? each) : fresh,
    }))
    const outcome = await publish(
      plan,
      progress,
      {
        tell: (step, state) =>
          setPublication(
            (before) =>
              before && {
                ...before,
                steps: before.steps.map((each) => (isOf(step)(each) ? { step, state } : each)),
              },
          ),
        save,
        wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      },
      onlyPicture,
    )
    // Every list may show what has changed.
    void mutate((key) => (typeof key === 'string' ? listKeys.test(key) : true), undefined, { revalidate: true })
    setPublication((before) => before && { ...before, isRunning: false })
    return outcome
  }
  return { publication, run, close: () => setPublication(null) }
}

function isOf(step: Step): (view: StepView) => boolean {
  return (view) => view.step.key === step.key
}
