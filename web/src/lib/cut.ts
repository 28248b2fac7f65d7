/** As much of a text as fits into so many UTF-16 units: half of a sign at its end, such as an emoji, is left out. */
export function cutTo(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[\uD800-\uDBFF]$/, '')
}
