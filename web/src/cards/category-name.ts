import type { Translate } from '../i18n/translate.ts'
import { categoryFrom, categoryKeys } from './category-names.ts'

/** What the category of a product is called; one that we do not know has the server's name. */
export function categoryName({ categoryId, category }: { categoryId: number; category: string }, t: Translate): string {
  const known = categoryFrom(String(categoryId))
  return known === null ? category : t(categoryKeys[known])
}
