import { countMatching, type FacetFilter, type FacetGroup } from './facets.ts'

/*
 * Two ways lead to a page of a search. Either all that has the words is fetched by the index of words, and sorted; or the list is walked in
 * its order until the page is full. Postgres chooses by guessing how frequent the words are, alone and together, and a wrong guess makes it
 * walk through everything for a word that one product has. We have counted.
 */

/** Whether all that has the words is to be fetched first, for each part of a search. */
export interface SearchCosts {
  /** How many that match are found by their names and brands. */
  readonly titledCount: number
  /** Those that are found by their names and brands. */
  readonly isTitledRare: boolean
  /** Those that are found by their descriptions alone. */
  readonly isDescribedRare: boolean
  /** Both together. */
  readonly isRare: boolean
}

/** To fetch a row by the index of words takes as long as walking past so many. */
const FETCH_PER_WALK = 5

/**
 * @param found what the words find @param everythingCount how many products there are @param limit how many the page has
 * Whatever it says, the page is the same: counts may be a little old.
 */
export function searchCosts(
  found: readonly FacetGroup[],
  filter: FacetFilter,
  { everythingCount, limit }: { readonly everythingCount: number; readonly limit: number },
): SearchCosts {
  const titled = found.filter(({ isTitled }) => isTitled)
  const titledMatching = countMatching(titled, filter)
  const matching = countMatching(found, filter)
  const isRare = (fetchedCount: number, matchingCount: number) =>
    fetchedCount * FETCH_PER_WALK <= (limit / Math.max(1, matchingCount)) * everythingCount
  const foundCount = countMatching(found, {})
  return {
    titledCount: titledMatching,
    isTitledRare: isRare(countMatching(titled, {}), titledMatching),
    isDescribedRare: isRare(foundCount, matching - titledMatching),
    isRare: isRare(foundCount, matching),
  }
}
