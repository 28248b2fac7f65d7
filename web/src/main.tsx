import '@fontsource-variable/figtree/wght.css'
import '@fontsource-variable/fraunces/opsz.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { invariant } from './lib/invariant.ts'
import { applyStoredScheme } from './theme/scheme.ts'

applyStoredScheme()

const root = document.getElementById('root')
invariant(root, 'index.html has a root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
