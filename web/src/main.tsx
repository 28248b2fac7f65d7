import '@fontsource-variable/figtree/wght.css'
import '@fontsource-variable/fraunces/opsz.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { listenForBack } from './lib/going-back.ts'
import { invariant } from './lib/invariant.ts'
import { takeLanding } from './lib/landing.ts'
import { replaceServedHead } from './lib/served-head.ts'
import { applyStoredScheme } from './theme/scheme.ts'

applyStoredScheme()
replaceServedHead()
listenForBack()
takeLanding(new URL(window.location.href), (path) => window.history.replaceState(window.history.state, '', path))

const root = document.getElementById('root')
invariant(root, 'index.html has a root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
