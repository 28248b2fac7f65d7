import { runRebuild } from '@wangian/kit/log/rebuild-command.ts'
import { readConfig } from './config.ts'
import { projections } from './consumers.ts'
import { auctionsProjection } from './log/projections.ts'

/** A command: makes the tables that the service reads of the logs anew while it goes on, all or those of one projection. */
const { databaseUrl, natsUrl } = readConfig()
await runRebuild({ service: 'auction', databaseUrl, natsUrl, projections: [auctionsProjection, ...projections] })
