/**
 * Browser storage that may be switched off: reading then gives `null` and writing is forgotten, since neither a theme nor
 * a session is worth a broken page.
 */
export function readStored(storage: 'localStorage' | 'sessionStorage', key: string): string | null {
  try {
    return window[storage].getItem(key)
  } catch {
    return null
  }
}

export function writeStored(storage: 'localStorage' | 'sessionStorage', key: string, value: string | null): void {
  try {
    if (value === null) window[storage].removeItem(key)
    else window[storage].setItem(key, value)
  } catch {
    // Full, or switched off.
  }
}
