import { accountRoutes } from '@wangian/contracts/account.ts'
import type { Language } from '@wangian/contracts/languages.ts'
import { useEffect, useRef } from 'react'
import { call } from '../api/client.ts'
import { readStored, writeStored } from '../lib/browser-storage.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useSessionState } from './use-session.ts'

/** Who has told what, in this browser. */
const toldKey = 'wangian-told-language'

/** Tells the server which language the signed-in person reads, for mails to them: at each sign-in, and at each change. */
export function useToldLanguage(): void {
  const session = useSessionState()
  const { language } = useTranslation()
  const isOut = session.status === 'signed-out'
  const userId = session.status === 'signed-in' ? session.user.id : null
  // What was told before: of two that are under way at once, the server might keep the earlier one.
  const before = useRef(Promise.resolve())
  useEffect(() => {
    if (isOut) writeStored('localStorage', toldKey, null)
    if (userId === null) return
    let isOver = false
    before.current = before.current.then(() => (isOver ? undefined : tell(userId, language, () => isOver)))
    return () => {
      isOver = true
    }
  }, [isOut, userId, language])
}

async function tell(userId: number, language: Language, isOver: () => boolean): Promise<void> {
  const told = `${userId} ${language}`
  if (readStored('localStorage', toldKey) === told) return
  // From now on the server may know either.
  writeStored('localStorage', toldKey, null)
  try {
    await call(accountRoutes.setLanguage, { body: { language } })
    // Whoever has signed out meanwhile leaves nothing behind.
    if (!isOver()) writeStored('localStorage', toldKey, told)
  } catch {
    // The next page tells it.
  }
}
