import { readStored } from './browser-storage.ts'

/** Where it is kept what the visitor answered. */
export const answerKey = 'wangian-analytics'

/** Which account is told, if there is any: the server writes it into each page. */
export function analyticsId(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name=analytics-id]')?.content
}

/** `null` as long as nobody has answered. */
export function storedAnswer(): 'yes' | 'no' | null {
  const stored = readStored('localStorage', answerKey)
  return stored === 'yes' || stored === 'no' ? stored : null
}
