import type { Language } from '@wangian/contracts/languages.ts'
import type { Notice } from '@wangian/contracts/notices.ts'
import type { PushMessage } from '@wangian/contracts/push.ts'
import { firstWords } from '../i18n/en-first.ts'
import { noticeWordsEn } from '../i18n/en-notices.ts'
import { addWords, i18n, switchTo } from '../i18n/i18n.ts'
import { firstWordsMs } from '../i18n/ms-first.ts'
import { noticeWordsMs } from '../i18n/ms-notices.ts'
import { noticeTarget, noticeWords } from '../layouts/notices/notice-words.ts'

/*
 * The service worker: shows what is pushed to this browser, in the words of the panel, and opens what it is about. It answers no request, so no page is
 * ever older than the server has it.
 */

/** So much of a service worker's surroundings as is used; their types cannot stand beside those of pages. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly WindowClient[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener<Type extends keyof WorkerEvents>(type: Type, listener: (event: WorkerEvents[Type]) => void): void
}
interface WorkerEvents {
  install: WorkerEvent
  push: WorkerEvent & { readonly data: { text(): string } | null }
  notificationclick: WorkerEvent & { readonly notification: Notification }
}
interface WorkerEvent {
  waitUntil(work: Promise<unknown>): void
}
interface WindowClient {
  readonly url: string
  readonly visibilityState: DocumentVisibilityState
  focus(): Promise<unknown>
}

/** What a notification keeps for the press on it. */
interface Shown {
  readonly id: number
  readonly target: string
}

const worker = self as unknown as WorkerScope

const words = {
  en: { person: firstWords.person, shell: firstWords.shell, notices: noticeWordsEn },
  ms: { person: firstWordsMs.person, shell: firstWordsMs.shell, notices: noticeWordsMs },
} as const satisfies Record<Language, object>
for (const [language, own] of Object.entries(words)) addWords(language as Language, own)

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('push', (event) => event.waitUntil(show(event.data?.text() ?? '')))
worker.addEventListener('notificationclick', (event) => event.waitUntil(openTarget(event.notification)))

/** Something is shown for whatever comes, since browsers take the right away from whoever shows nothing. */
async function show(text: string): Promise<void> {
  const message = messageOf(text)
  if (message === null) {
    await worker.registration.showNotification(firstWords.shell.brand, { icon: '/icon-192.png' })
    return
  }
  const { language, notice } = message
  switchTo(language)
  const { title, detail } = noticeWords(notice, i18n.t)
  const before = await worker.registration.getNotifications({ tag: notice.key })
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown: Shown = { id: notice.id, target: noticeTarget(notice) }
  const options: NotificationOptions & { readonly renotify: boolean } = {
    // Of one thing the newest is shown, and whatever comes twice makes itself heard once.
    tag: notice.key,
    renotify: !before.some(({ data }) => (data as Shown | null)?.id === notice.id),
    // Whoever looks at a page of ours sees it there, too.
    silent: windows.some(({ visibilityState }) => visibilityState === 'visible'),
    icon: '/icon-192.png',
    lang: language,
    data: shown,
    ...(detail !== null && { body: detail }),
  }
  await worker.registration.showNotification(title, options)
}

/** What our server says it sealed for us; `null` for what a server says that is newer than this worker. */
function messageOf(text: string): PushMessage | null {
  try {
    const { language, notice } = JSON.parse(text) as { language: Language; notice: Notice }
    return language in words && notice.kind in words[language].notices.kinds ? { language, notice } : null
  } catch {
    return null
  }
}

/** Shows the page that a notice leads to: the tab that has it, or a new one. */
async function openTarget(notification: Notification): Promise<void> {
  notification.close()
  const target = (notification.data as Shown | null)?.target ?? '/'
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const there = windows.find(({ url }) => {
    const { pathname, search } = new URL(url)
    return pathname + search === target
  })
  await (there === undefined ? worker.clients.openWindow(target) : there.focus())
}
