import { join } from 'node:path'
import { runService } from '@wangian/kit/service/lifecycle.ts'
import { createLogger } from '@wangian/kit/service/logger.ts'
import { readConfig } from './config.ts'
import { startPaymentSandbox } from './payment-sandbox.ts'

/** Stands in for the payment provider of a local start, as a process of its own. */
const { dataDir, servicePort: port, publicUrl: pagesUrl, logLevel: level } = readConfig()
const log = createLogger({ name: 'payment-sandbox', level })

runService({
  name: 'payment-sandbox',
  log,
  async start(onStop) {
    const sandbox = await startPaymentSandbox({ port, pagesUrl, directory: join(dataDir, 'payments'), log })
    onStop(() => sandbox.stop(), 'sandbox')
  },
})
