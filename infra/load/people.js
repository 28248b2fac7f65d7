// What k6 runs: people who bid, watch, browse, deal and boost, as many of each as the file says that PREPARED names.
import { bid, watch } from './bidding.js'
import { browse } from './browsing.js'
import { boost, deal } from './dealing.js'
import { optionsOf, prepare, summarise } from './wangian.js'

export { bid, boost, browse, deal, watch }
export const options = optionsOf()
export const setup = prepare
export const handleSummary = summarise
