/**
 * The server puts tags into the head for those who run no script. Here the title of the page takes the place of the served one, and all
 * others go with the page that they are of. A page that was prerendered keeps the served title as its own, and takes it away itself.
 */
export function replaceServedHead(): void {
  const { pathname } = window.location
  const { head } = document
  const observer = new MutationObserver(() => {
    if (head.querySelector('title:not([data-served], [itemprop])') !== null)
      head.querySelector('title[data-served]')?.remove()
    if (window.location.pathname === pathname) return
    for (const tag of head.querySelectorAll('[data-served]:not(title)')) tag.remove()
    if (head.querySelector('title[data-served]') === null) observer.disconnect()
  })
  observer.observe(head, { childList: true })
}
