// Runs before a page is painted that was rendered elsewhere: what only this browser knows, the colours that somebody chose and who that is. `scheme.ts`
// and `app-token.ts` write what is read here.
try {
  const { dataset } = document.documentElement
  const scheme = localStorage.getItem('wangian-scheme')
  if (scheme === 'light' || scheme === 'dark') dataset.scheme = scheme
  const token = localStorage.getItem('app_token')
  if (token !== null) {
    dataset.known = ''
    dataset.known = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).sub
  }
} catch {
  // Storage is switched off, or what it has cannot be read: whatever is known by then.
}
