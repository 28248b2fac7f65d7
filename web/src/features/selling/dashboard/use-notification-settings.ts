import { accountRoutes, type NotificationSettings } from '@wangian/contracts/account.ts'
import { useRef, useState } from 'react'
import { call } from '../../../api/client.ts'
import { useApi } from '../../../api/use-api.ts'

/**
 * Which mails somebody wants. A change is shown at once and saved behind it, one after the other, so that the last one wins; when one
 * cannot be saved, what is saved is shown again. What is not sent yet when the page is left goes out then.
 */
export function useNotificationSettings(onFailure: (error: unknown) => void) {
  const { data: saved, error, mutate } = useApi(accountRoutes.getNotifications, {})
  const [wanted, setWanted] = useState<Partial<NotificationSettings> | null>(null)
  /** What is to be sent next. */
  const next = useRef<Partial<NotificationSettings> | null>(null)
  const isSaving = useRef(false)

  const save = async () => {
    if (isSaving.current) return
    isSaving.current = true
    const send = (known: NotificationSettings, changes: Partial<NotificationSettings>) =>
      call(accountRoutes.setNotifications, { body: { ...known, ...changes } }, { outlivesPage: true })
    const leave = () => {
      if (saved && next.current !== null) send(saved, next.current).catch(() => {})
    }
    window.addEventListener('pagehide', leave)
    try {
      while (next.current !== null) {
        const changes = next.current
        // The others may have been changed in another tab.
        const known = await call(accountRoutes.getNotifications, {})
        if (next.current === changes) next.current = null
        await mutate(await send(known, changes), { revalidate: false })
      }
    } catch (failure) {
      next.current = null
      onFailure(failure)
      // It may be saved all the same, and its answer be lost.
      void mutate()
    } finally {
      window.removeEventListener('pagehide', leave)
      isSaving.current = false
      setWanted(null)
    }
  }

  return {
    settings: saved && { ...saved, ...wanted },
    error: error as Error | undefined,
    reload: () => void mutate(),
    change: (change: Partial<NotificationSettings>) => {
      next.current = { ...wanted, ...change }
      setWanted(next.current)
      void save()
    },
  }
}
