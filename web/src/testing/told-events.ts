import { onTestFinished } from 'vitest'

/** The names of what analytics is told from now on until the end of the test. */
export function toldEvents(): readonly string[] {
  const names: string[] = []
  window.gtag = (_, name) => void names.push(String(name))
  onTestFinished(() => {
    delete window.gtag
  })
  return names
}
