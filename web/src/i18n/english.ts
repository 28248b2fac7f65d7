import { firstWords } from './en-first.ts'
import type { LanguageFiles } from './language-files.ts'

/** Where the English words are. */
export const english: LanguageFiles = {
  first: async () => firstWords,
  pages: async () => (await import('./en.ts')).en,
  admin: async () => (await import('./en-admin.ts')).adminWords,
  guides: async () => ({ guidePages: (await import('./en-guides.ts')).guides }),
}
