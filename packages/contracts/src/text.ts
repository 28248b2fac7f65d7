/** Whether Postgres can store it and everybody can read it: it holds no NUL, and no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text)
}
