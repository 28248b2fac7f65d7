import '@fontsource-variable/figtree/wght.css'
import '@fontsource-variable/fraunces/opsz.css'
import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from './App.tsx'
import { startLanguage } from './i18n/language.ts'
import { beginAnalytics } from './lib/begin-analytics.ts'
import { listenForBack } from './lib/going-back.ts'
import { invariant } from './lib/invariant.ts'
import { takeLanding } from './lib/landing.ts'
import { replaceServedHead } from './lib/served-head.ts'
import { AppRoutes } from './routes.tsx'
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
const app = (
  <StrictMode>
    <App>
      <BrowserRouter>
        <AppRoutes />
      </BrowserRouter>
    </App>
  </StrictMode>
)
void words.then(() => {
  // Not when the address leads elsewhere, such as from a link in a mail.
  if (root.dataset['prerendered'] === window.location.pathname) hydrateRoot(root, app)
  else createRoot(root).render(app)
})
