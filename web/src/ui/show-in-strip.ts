/**
 * Brings a part of a strip to its middle. Only the strip is scrolled: `scrollIntoView` would scroll the page as well, away from where somebody
 * has come back to.
 */
export function showInStrip(strip: HTMLElement | null, selector: string): void {
  const part = strip?.querySelector(selector)
  if (strip && part) strip.scrollLeft += middleOf(part) - middleOf(strip)
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect()
  return left + width / 2
}
