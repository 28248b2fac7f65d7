import { categories } from '@wangian/contracts/catalogue.ts'

/** The categories with the keys of their names. The ids are part of the product's links. */
export const categoryKeys = {
  1: 'categories.designer',
  2: 'categories.local',
  3: 'categories.arabian',
  4: 'categories.niche',
} as const satisfies Record<(typeof categories)[number]['id'], string>

export type CategoryId = keyof typeof categoryKeys

export const categoryIds: readonly CategoryId[] = categories.map((category) => category.id)

/** The category that a query parameter names, if there is one. */
export function categoryFrom(parameter: string | null): CategoryId | null {
  return categoryIds.find((id) => String(id) === parameter) ?? null
}
