/** Which bid comes next. Amounts rise from bid to bid, so that in the order of sending all are acceptable. */
export interface BidPlan {
  next(): { readonly auctionId: number; readonly amountSen: number }
}

/** Bids on these auctions in turn, raising each from its price of now by its increment. */
export function roundRobinPlan(
  auctions: readonly { readonly auctionId: number; readonly priceSen: number }[],
  incrementSen: number,
): BidPlan {
  const pricesSen = Float64Array.from(auctions, ({ priceSen }) => priceSen)
  let turn = 0
  return {
    next() {
      const auction = auctions[turn]
      if (auction === undefined) throw new Error('a plan needs auctions')
      const amountSen = (pricesSen[turn] ?? 0) + incrementSen
      pricesSen[turn] = amountSen
      turn = turn + 1 === auctions.length ? 0 : turn + 1
      return { auctionId: auction.auctionId, amountSen }
    },
  }
}
