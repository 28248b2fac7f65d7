import type { Language } from '@wangian/contracts/languages.ts'

interface LayoutWords {
  /** Before a code that stands alone, and before one that does what the button does. */
  readonly yourCode: string
  readonly orCode: string
  readonly deadButton: string
  readonly place: string
}

/** What is around the words of every mail. */
export const layoutWords: Readonly<Record<Language, LayoutWords>> = {
  en: {
    yourCode: 'Your code',
    orCode: 'Or enter this code',
    deadButton: 'If the button does nothing, open this address:',
    place: 'Wangian, Kuala Lumpur, Malaysia',
  },
  ms: {
    yourCode: 'Kod anda',
    orCode: 'Atau masukkan kod ini',
    deadButton: 'Jika butang ini tidak berfungsi, buka alamat ini:',
    place: 'Wangian, Kuala Lumpur, Malaysia',
  },
}
