// Runs before a page is painted that was rendered when the app was built: what only this browser knows. `scheme.ts` and `app-token.ts`
// write what is read here.
try {
  const { dataset } = document.documentElement
  const scheme = localStorage.getItem('wangian-scheme')
  if (scheme === 'light' || scheme === 'dark') dataset.scheme = scheme
  if (localStorage.getItem('app_token') !== null) dataset.known = ''
} catch {
  // Storage is switched off: nothing is known.
}
