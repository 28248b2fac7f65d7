/** Browsers have no clipboard over plain http, and may refuse it. @returns whether it worked */
export async function copy(words: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(words)
    return true
  } catch {
    return false
  }
}
