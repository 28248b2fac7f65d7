import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { useState } from 'react'
import { shownMessage } from '../../api/api-error.ts'
import { appToken } from '../../api/app-token.ts'
import { upload } from '../../api/client.ts'
import { i18n } from '../../i18n/i18n.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { showToast, type ToastMessage } from '../../ui/toast-store.ts'
import type { ConversationNews } from './conversation-state.ts'
import { fileProblem } from './file-picker.ts'
import { keepUnsent, readUnsent } from './unsent.ts'

/** A file on its way. */
export interface SendingFile {
  readonly clientMessageId: string
  readonly name: string
  /** `null` for one that an earlier page was sending: nothing but its name is left. */
  readonly file: File | null
  readonly productId: number | null
  /** 0 to 1. */
  readonly progress: number
  /** Why it was not sent; `null` while it is on its way. */
  readonly problem: string | null
}

/** What breaks off each file that this page is sending. */
const running = new Map<string, AbortController>()

/** Sends files to somebody, also when the conversation is left meanwhile. Sent again with the same id, a file whose answer was lost is still one message. */
export function useFileSending(ownId: number, receiverId: number, tell: (news: ConversationNews) => void) {
  const { t } = useTranslation()
  const [files, setFiles] = useState(() => lostFiles(ownId, receiverId))

  const change = (id: string, to: Partial<SendingFile>) =>
    setFiles((known) => known.map((each) => (each.clientMessageId === id ? { ...each, ...to } : each)))
  const remove = (id: string) => {
    keepUnsent({ files: readUnsent().files.filter((each) => each.clientMessageId !== id) })
    setFiles((known) => known.filter((each) => each.clientMessageId !== id))
  }

  /** Whoever is signed in by now may be somebody else. */
  const tellSender = (said: ToastMessage) => {
    if (appToken.readHolder()?.id === ownId) showToast(said)
  }

  async function run({ clientMessageId: id, file, productId }: SendingFile): Promise<void> {
    if (file === null) return
    const controller = new AbortController()
    running.set(id, controller)
    change(id, { progress: 0, problem: null })
    const form = new FormData()
    form.set('receiverId', String(receiverId))
    form.set('clientMessageId', id)
    if (productId !== null) form.set('productId', String(productId))
    form.set('file', file)
    try {
      const { message } = await upload(messagingRoutes.uploadFile, {}, form, {
        onProgress: (progress) => change(id, { progress }),
        signal: controller.signal,
      })
      remove(id)
      tell({ type: 'fileSent', message })
      tellSender({ title: t('messages.fileSent') })
    } catch (error) {
      if (controller.signal.aborted) return remove(id)
      change(id, { problem: shownMessage(error) })
      tellSender({ title: t('messages.uploadFailed'), description: shownMessage(error), tone: 'destructive' })
    } finally {
      running.delete(id)
    }
  }

  return {
    files,
    send(file: File, productId: number | null): void {
      const problem = fileProblem(file)
      if (problem !== null)
        return showToast({ title: t('messages.uploadFailed'), description: problem, tone: 'destructive' })
      const { name } = file
      const sending = { clientMessageId: crypto.randomUUID(), name, file, productId, progress: 0, problem: null }
      const unsent = { clientMessageId: sending.clientMessageId, senderId: ownId, receiverId, name }
      keepUnsent({ files: [...readUnsent().files, unsent] })
      setFiles((known) => [...known, sending])
      void run(sending)
    },
    retry: (sending: SendingFile) => void run(sending),
    /** Breaks it off, or forgets one that was not sent. */
    cancel({ clientMessageId }: SendingFile): void {
      running.get(clientMessageId)?.abort()
      remove(clientMessageId)
    },
  }
}

function lostFiles(ownId: number, receiverId: number): readonly SendingFile[] {
  const { files } = readUnsent()
  const lost = files.filter(
    (each) => each.senderId === ownId && each.receiverId === receiverId && !running.has(each.clientMessageId),
  )
  return lost.map(({ clientMessageId, name }) => ({
    clientMessageId,
    name,
    file: null,
    productId: null,
    progress: 0,
    problem: i18n.t('messages.fileLost'),
  }))
}
