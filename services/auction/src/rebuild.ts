import { runRebuild } from '@wangian/kit/log/rebuild-command.ts'
import { readConfig } from './config.ts'
import { rebuildAuctions } from './projections.ts'

/** A command: empties what the service reads of its log and fills it again. Meanwhile bids are refused as `unavailable`. */
await runRebuild({ databaseUrl: readConfig().databaseUrl, what: 'auctions', rebuild: rebuildAuctions })
