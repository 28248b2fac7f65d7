/** The field of a search, as the address of its result names it: the browser's own submit leads there before the app is at work. */
export const searchName = 'search'

/** What somebody has typed into a search, perhaps before the app was at work. */
export function searchedIn(form: HTMLFormElement): string {
  const words = new FormData(form).get(searchName)
  return typeof words === 'string' ? words.trim() : ''
}
