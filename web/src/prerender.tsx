import type { Language } from '@wangian/contracts/languages.ts'
import { renderToString } from 'react-dom/server'
import { StaticRouter } from 'react-router-dom'
import { ServerStyleSheet } from 'styled-components'
import { SWRConfig } from 'swr'
import { App } from './App.tsx'
import { type ServedAnswer, servedAnswers } from './api/served-answers.ts'
import { showLanguage } from './i18n/i18n.ts'
import { setRenderedAt } from './lib/rendered-at.ts'
import { LiveSocket } from './live/live-socket.ts'
import { LiveSocketContext } from './live/use-live-socket.ts'
import { AppRoutes, preloadPage } from './routes.tsx'

export interface PageInput {
  /** With its query, from the root. */
  readonly address: string
  readonly language: Language
  /** What has been read for it, by address. */
  readonly answers: Readonly<Record<string, ServedAnswer>>
  /** The time that it shows, in milliseconds. */
  readonly renderedAtMs: number
}

/** A page as every guest sees it first. */
export interface RenderedPage {
  /** What is inside the root. */
  readonly html: string
  /** The `style` elements that go with it, and the requests for its first pictures. */
  readonly head: string
  /** The addresses that it asks first, which were not among the answers. */
  readonly missing: readonly string[]
}

/** Nobody listens here. */
const restingSocket = new LiveSocket({
  openSocket: () => {
    throw new Error('nothing is live while a page is rendered')
  },
  token: () => null,
  renewToken: async () => null,
})

/**
 * Renders a page; `main.tsx` takes over what this has rendered, so that both must render the same. The build does it for the home page, the gateway for
 * pages with what they are about. One after the other: a language is shown by the whole app at once.
 */
export async function renderPage({ address, language, answers, renderedAtMs }: PageInput): Promise<RenderedPage> {
  await showLanguage(language)
  await preloadPage(new URL(address, 'http://localhost').pathname)
  setRenderedAt(renderedAtMs)
  const missing = new Set<string>()
  const sheet = new ServerStyleSheet()
  try {
    const html = renderToString(
      sheet.collectStyles(
        <SWRConfig value={{ provider: () => new Map() }}>
          <LiveSocketContext value={() => restingSocket}>
            <App served={servedAnswers(answers, (each) => missing.add(each))}>
              <StaticRouter location={address}>
                <AppRoutes />
              </StaticRouter>
            </App>
          </LiveSocketContext>
        </SWRConfig>,
      ),
    )
    // What comes first is for a head: a title, which is written by the gateway there, and requests for pictures, of which the first ones are urgent.
    const [forHead = ''] = /^(?:<title>[^<]*<\/title>|<link [^>]*>)*/.exec(html) ?? []
    const requests = (forHead.match(/<link [^>]*>/g) ?? []).filter((link) => /fetchpriority="high"/i.test(link))
    return {
      html: html.slice(forHead.length),
      head: [sheet.getStyleTags(), ...requests].join(''),
      missing: [...missing],
    }
  } finally {
    sheet.seal()
  }
}
