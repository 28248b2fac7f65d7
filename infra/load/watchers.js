// A crowd of guests follows one auction on which a few people bid.
import { bid, optionsOf, prepare, summarise, watch } from './wangian.js'

export { bid, watch }
export const options = optionsOf()
export const setup = prepare
export const handleSummary = summarise
