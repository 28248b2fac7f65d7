/** A page to go to, or pages that are left out. */
export type PageNumber = number | 'gap'

/**
 * The page numbers that a list of so many pages shows: the first, the last, the current one and its neighbours. A gap stands for two
 * or more; a single page is shown instead, which takes the same room.
 */
export function pageNumbers(current: number, last: number): readonly PageNumber[] {
  const shown = [1, current - 1, current, current + 1, last]
    .filter((page) => page >= 1 && page <= last)
    .toSorted((a, b) => a - b)
  const numbers: PageNumber[] = []
  let before = 0
  for (const page of new Set(shown)) {
    if (page - before === 2) numbers.push(page - 1)
    else if (page - before > 2) numbers.push('gap')
    numbers.push(page)
    before = page
  }
  return numbers
}
