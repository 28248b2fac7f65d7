/** Line breaks would end a header; nobody needs the other control characters. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
