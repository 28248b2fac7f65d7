// Bids spread over many auctions, so that all partitions and owners have work.
import { bid, optionsOf, prepare, summarise, watch } from './wangian.js'

export { bid, watch }
export const options = optionsOf()
export const setup = prepare
export const handleSummary = summarise
