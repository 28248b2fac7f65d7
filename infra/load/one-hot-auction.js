// Everybody bids on one auction: a bid burst at its end.
import { bid, optionsOf, prepare, summarise, watch } from './wangian.js'

export { bid, watch }
export const options = optionsOf()
export const setup = prepare
export const handleSummary = summarise
