/** Which bid comes next. Amounts rise from bid to bid, so that in the order of sending all are acceptable. */
export interface BidPlan {
  next(): { readonly auctionId: number; readonly amountSen: number }
}

/** Bids on these auctions in turn, raising each by its increment. The first bid is the starting price and one increment. */
export function roundRobinPlan(
  auctionIds: readonly number[],
  terms: { readonly startingPriceSen: number; readonly incrementSen: number },
): BidPlan {
  const { startingPriceSen, incrementSen } = terms
  const raises = new Uint32Array(auctionIds.length)
  let turn = 0
  return {
    next() {
      const auctionId = auctionIds[turn]
      if (auctionId === undefined) throw new Error('a plan needs auctions')
      const raise = (raises[turn] ?? 0) + 1
      raises[turn] = raise
      turn = turn + 1 === auctionIds.length ? 0 : turn + 1
      return { auctionId, amountSen: startingPriceSen + raise * incrementSen }
    },
  }
}
