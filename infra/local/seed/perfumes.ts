import type { Perfume } from './perfume.ts'
import { arabianPerfumes } from './perfumes-arabian.ts'
import { designerPerfumes } from './perfumes-designer.ts'
import { localPerfumes } from './perfumes-local.ts'
import { nichePerfumes } from './perfumes-niche.ts'

/** All demo listings, mixed by category as a real shelf is; the first ones are listed last and so shown first. */
export const perfumes: readonly Perfume[] = inTurn([nichePerfumes, arabianPerfumes, designerPerfumes, localPerfumes])

/** One of each list after the other, the longer ones going on alone. */
function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}
