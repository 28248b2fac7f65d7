import '@fontsource-variable/figtree/wght.css'
import '@fontsource-variable/fraunces/opsz.css'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from './App.tsx'
import { servedAnswers } from './api/served-answers.ts'
import { startLanguage } from './i18n/language.ts'
import { beginAnalytics } from './lib/begin-analytics.ts'
import { listenForBack } from './lib/going-back.ts'
import { invariant } from './lib/invariant.ts'
import { takeLanding } from './lib/landing.ts'
import { setRenderedAt } from './lib/rendered-at.ts'
import { replaceServedHead } from './lib/served-head.ts'
import { AppRoutes, preloadPage } from './routes.tsx'
import { applyStoredScheme } from './theme/scheme.ts'

applyStoredScheme()
// Reads the address, which the next lines may change.
const words = startLanguage()
replaceServedHead()
listenForBack()
takeLanding(new URL(window.location.href), (path) => window.history.replaceState(window.history.state, '', path))
beginAnalytics()

const root = document.getElementById('root')
invariant(root, 'index.html has a root')
const { prerendered, renderedAt } = root.dataset
const served = servedAnswers(JSON.parse(document.getElementById('served')?.textContent ?? '{}'))
if (renderedAt) setRenderedAt(Number(renderedAt))
const app = (
  <StrictMode>
    <App served={served}>
      <BrowserRouter>
        <AppRoutes />
      </BrowserRouter>
    </App>
  </StrictMode>
)
void words.then(async () => {
  const { pathname } = window.location
  // Not when the address leads elsewhere, such as from a link in a mail.
  const isTakenOver = prerendered === pathname
  // What is taken over in one go cannot change meanwhile. Where the page does not come, its boundary says so.
  if (isTakenOver) await preloadPage(pathname).catch(() => {})
  window.earlyPress?.takeOver()
  if (isTakenOver) hydrateRoot(root, app)
  else createRoot(root).render(app)
})
