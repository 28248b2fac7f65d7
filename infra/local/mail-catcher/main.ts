import { join } from 'node:path'
import { runService } from '@wangian/kit/service/lifecycle.ts'
import { createLogger } from '@wangian/kit/service/logger.ts'
import { loadMailCatcherConfig } from '../config.ts'
import { startMailCatcher } from './mail-catcher.ts'

/** Catches the mails of a local start, as a process of its own. */
const config = loadMailCatcherConfig()
const log = createLogger({ name: 'mail-catcher', level: config.logLevel })

runService({
  name: 'mail-catcher',
  log,
  async start(onStop) {
    const directory = join(config.dataDir, 'mails')
    const catcher = await startMailCatcher({ smtpPort: config.smtpPort, httpPort: config.servicePort, directory, log })
    onStop(() => catcher.stop(), 'catcher')
  },
})
