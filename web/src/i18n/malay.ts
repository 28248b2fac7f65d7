import type { LanguageFiles } from './language-files.ts'
import { firstWordsMs } from './ms-first.ts'
import type { Translator } from './translator.ts'

/** What a browser says itself when no server did, also on the first page. */
const firstTranslator: Translator = (_sentence, code) =>
  code === 'unavailable'
    ? 'Ini tidak tersedia sekarang. Sila cuba lagi sebentar nanti.'
    : code === 'internal'
      ? 'Ada masalah di pihak kami. Sila cuba lagi.'
      : undefined

/** Where the Malay words are. */
export const malay: LanguageFiles = {
  first: async () => ({ ...firstWordsMs, firstTranslator }),
  pages: async () => {
    const [{ ms }, { translator }] = await Promise.all([import('./ms.ts'), import('./ms-said.ts')])
    return { ...ms, translator }
  },
  admin: async () => (await import('./ms-admin.ts')).adminWordsMs,
  guides: async () => ({ guidePages: (await import('./ms-guides.ts')).guidesMs }),
}
