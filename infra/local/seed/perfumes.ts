import type { categories } from '@wangian/contracts/catalogue.ts'
import type { Perfume, PerfumeOfCategory } from './perfume.ts'
import { arabianPerfumes } from './perfumes-arabian.ts'
import { designerPerfumes } from './perfumes-designer.ts'
import { localPerfumes } from './perfumes-local.ts'
import { nichePerfumes } from './perfumes-niche.ts'

type CategoryId = (typeof categories)[number]['id']

/** All demo listings, mixed by category as a real shelf is; the first ones are listed last and so shown first. */
export const perfumes: readonly Perfume[] = inTurn([
  of(4, nichePerfumes),
  of(3, arabianPerfumes),
  of(1, designerPerfumes),
  of(2, localPerfumes),
])

function of(categoryId: CategoryId, list: readonly PerfumeOfCategory[]): readonly Perfume[] {
  return list.map((perfume) => ({ ...perfume, categoryId }))
}

/** One of each list after the other, the longer ones going on alone. */
function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}
