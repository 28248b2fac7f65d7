import { runRebuild } from '@wangian/kit/log/rebuild-command.ts'
import { readConfig } from './config.ts'
import { rebuildMessages } from './projections.ts'

/** A command: empties what the service reads of its log and fills it again. The service may go on running. */
await runRebuild({ databaseUrl: readConfig().databaseUrl, what: 'messages', rebuild: rebuildMessages })
