import { runRebuild } from '@wangian/kit/log/rebuild-command.ts'
import { readConfig } from './config.ts'
import { ordersProjection } from './projections.ts'

/** A command: makes the tables that the service reads of its log anew while it goes on. */
const { databaseUrl, natsUrl } = readConfig()
await runRebuild({ service: 'boost', databaseUrl, natsUrl, projections: [ordersProjection] })
