/** Some browsers begin to read it only when the press is long over. */
const READ_WITHIN_MS = 60_000

/** Has the browser save a file that is here already. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), READ_WITHIN_MS)
}
