/** Steps that people count in, in ringgit. */
const steps = [0.5, 1, 2, 5, 10, 20, 50, 100] as const

/**
 * A step of bids that goes with a starting price, in ringgit: about a fortieth of it. So small a one as the least that is allowed makes an
 * auction of many bids of little.
 */
export function suggestedIncrement(startingPrice: number): number | null {
  if (!(startingPrice > 0)) return null
  return steps.findLast((step) => step <= startingPrice / 40) ?? steps[0]
}
