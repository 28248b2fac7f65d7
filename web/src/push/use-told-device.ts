import { useEffect, useSyncExternalStore } from 'react'
import { appToken } from '../api/app-token.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useSessionState } from '../session/use-session.ts'
import { storedDevice } from './stored-device.ts'

/**
 * Keeps what is pushed to this browser in step with who is signed in and what they read: told again at each visit, at each new session and at each change
 * of the language, and forgotten when nobody is signed in any more. Only who has asked for it loads what it takes.
 */
export function useToldDevice(): void {
  const session = useSessionState()
  const { language } = useTranslation()
  const token = useSyncExternalStore(appToken.subscribe, appToken.read, () => null)
  // Whose session cannot be renewed just now has a token still.
  const isOut = session.status === 'signed-out' && token === null
  const userId = session.status === 'signed-in' ? session.user.id : null
  const sessionId = token && appToken.sessionOf(token)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new session of the same person has to be told, too
  useEffect(() => {
    if (storedDevice() === null) return
    // The next visit does it.
    const later = () => {}
    if (isOut) void import('./device.ts').then(({ forgetDevice }) => forgetDevice()).catch(later)
    else if (userId !== null) {
      void import('./device.ts').then(({ tellAgain }) => tellAgain({ userId, language })).catch(later)
    }
  }, [isOut, userId, language, sessionId])
}
