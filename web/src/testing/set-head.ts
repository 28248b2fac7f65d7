/** Puts elements in place of all in the head but the styles: those belong to every file that shares the window, and would not come back. */
export function setHead(html: string): void {
  for (const element of [...document.head.children]) if (!element.matches('style')) element.remove()
  document.head.insertAdjacentHTML('beforeend', html)
}
