import { answerKey } from './analytics-answer.ts'
import { anonymousAddress, anonymousParameters } from './anonymous.ts'
import { writeStored } from './browser-storage.ts'

const tagAddress = 'https://www.googletagmanager.com/gtag/js'

/**
 * Loads the tag, which then tells what waits for it and all that follows, without what is about a person. Nothing for advertising, and
 * cookies of this host only.
 */
export function addTag(id: string): void {
  const address = `${tagAddress}?id=${encodeURIComponent(id)}`
  Object.assign(window, { [disablingName(id)]: false })
  // Somebody who had said no after all, and says yes again.
  if (document.querySelector(`script[src="${address}"]`)) return
  const queue = window.dataLayer
  const send = window.gtag
  if (!queue || !send) return
  const waiting = queue.splice(0) as IArguments[]
  send('js', new Date())
  send('consent', 'default', {
    ad_storage: 'denied',
    ad_user_data: 'denied',
    ad_personalization: 'denied',
    analytics_storage: 'granted',
  })
  send('config', id, {
    // Each page tells by itself, when it is there.
    send_page_view: false,
    allow_google_signals: false,
    allow_ad_personalization_signals: false,
    cookie_domain: 'none',
    page_referrer: referringSite(),
  })
  const tell: typeof send = (command, name, parameters) => {
    // The tag would read the address bar.
    send('set', { page_location: anonymousAddress(window.location.href) })
    send(command, name, anonymousParameters(parameters as Readonly<Record<string, unknown>>))
  }
  window.gtag = tell
  for (const [command, name, parameters] of waiting) tell(command, name, parameters)
  const script = document.createElement('script')
  script.async = true
  script.src = address
  document.head.append(script)
  // Another tab may take the answer back.
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === answerKey && newValue !== 'yes') withdraw(id)
  })
}

/** Takes the answer back: nothing is told any more, and what was kept for it goes. The tag itself goes with the page. */
export function withdraw(id: string): void {
  writeStored('localStorage', answerKey, 'no')
  window.gtag = undefined
  Object.assign(window, { [disablingName(id)]: true })
  for (const cookie of document.cookie.split(';')) {
    const [name = ''] = cookie.trim().split('=')
    // biome-ignore lint/suspicious/noDocumentCookie: the tag's own cookies, where not every browser has a cookie store
    if (/^_ga(_|$)/.test(name)) document.cookie = `${name}=; max-age=0; path=/`
  }
}

/** What the tag itself looks at before it tells anything. */
const disablingName = (id: string) => `ga-disable-${id}`

/** From which site somebody came, and no more of it. */
function referringSite(): string {
  return document.referrer === '' ? '' : new URL(document.referrer).origin
}
