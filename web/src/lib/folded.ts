/** Words without accents and capitals, to be compared. */
export function folded(words: string): string {
  return words.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
