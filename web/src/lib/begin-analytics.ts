import { analyticsId, storedAnswer } from './analytics-answer.ts'

/** Begins to tell where the visitor has agreed to it. Nobody else loads how. Call it before the first render, and after an answer. */
export function beginAnalytics(): void {
  if (!window.gtag) {
    const id = analyticsId()
    if (!id || storedAnswer() !== 'yes') return
    // What happens before the tag is there waits for it here.
    window.dataLayer ??= []
    const waiting = window.dataLayer
    window.gtag = function () {
      // biome-ignore lint/complexity/noArguments: the tag takes arrays for something else
      waiting.push(arguments)
    }
    void import('./analytics-tag.ts').then(({ addTag }) => addTag(id))
  }
  void import('./page-reports.ts').then(({ reportPage }) => reportPage())
}
