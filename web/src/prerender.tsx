import type { Language } from '@wangian/contracts/languages.ts'
import { renderToString } from 'react-dom/server'
import { Route, Routes, StaticRouter } from 'react-router-dom'
import { ServerStyleSheet } from 'styled-components'
import { App } from './App.tsx'
import { wholeListReads } from './features/catalogue/product-list.ts'
import { homeReads } from './features/home/api.ts'
import HomePage from './features/home/HomePage.tsx'
import { showLanguage } from './i18n/i18n.ts'
import { RootLayout } from './layouts/RootLayout.tsx'
import { paths } from './paths.ts'

/** The home page as everybody sees it first, before anything is read. */
export interface PrerenderedHome {
  /** What is inside the root. */
  readonly html: string
  /** The `style` elements that go with it. */
  readonly styles: string
  /** The addresses that it asks first. */
  readonly reads: readonly string[]
}

/** The addresses that the whole list asks first. */
export const productsReads = wholeListReads()

/** Run by the build, for each language. `main.tsx` takes over what this has rendered, so that both must render the same. */
export async function prerenderHome(language: Language): Promise<PrerenderedHome> {
  await showLanguage(language)
  const sheet = new ServerStyleSheet()
  const html = renderToString(
    sheet.collectStyles(
      <App>
        <StaticRouter location={paths.home()}>
          <Routes>
            <Route element={<RootLayout />}>
              <Route index element={<HomePage />} />
            </Route>
          </Routes>
        </StaticRouter>
      </App>,
    ),
  )
  // The title comes first, for a head: that of the page is written by the gateway.
  return { html: html.replace(/^<title>[^<]*<\/title>/, ''), styles: sheet.getStyleTags(), reads: homeReads }
}
