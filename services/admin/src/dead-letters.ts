import { runDeadLetters } from '@wangian/kit/log/dead-letters-command.ts'
import { readConfig } from './config.ts'

/** A command: lists the events that the service could not take, or has them tried again. The service may go on running. */
await runDeadLetters({ databaseUrl: readConfig().databaseUrl })
