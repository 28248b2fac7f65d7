import { runRebuild } from '@wangian/kit/log/rebuild-command.ts'
import { readConfig } from './config.ts'
import { projections } from './consumers.ts'
import { activityProjection } from './projections.ts'

/** A command: makes the tables that the service reads of the logs anew while it goes on, all or those of one projection. */
const { databaseUrl, natsUrl } = readConfig()
await runRebuild({ service: 'admin', databaseUrl, natsUrl, projections: [activityProjection, ...projections] })
