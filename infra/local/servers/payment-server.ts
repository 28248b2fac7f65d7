import { findFreePort } from '@wangian/kit/free-port.ts'
import { type Bundles, unbundled } from '../builds/bundles.ts'
import { inheritedEnvironment, repositoryRoot } from '../config.ts'
import type { LogSink } from '../log.ts'
import { launchService } from '../processes/service-process.ts'
import { type SupervisedProcess, supervise } from '../processes/supervisor.ts'
import { paymentSandboxScript } from '../services.ts'

/** A payment provider that takes nobody's money; it is not started yet. */
export async function preparePaymentSandbox(options: {
  readonly dataDir: string
  readonly publicUrl: string
  readonly logLevel: string
  readonly log: LogSink
  readonly bundles?: Bundles
}): Promise<{ readonly process: SupervisedProcess; readonly url: string }> {
  const { dataDir, publicUrl, logLevel, log, bundles = unbundled } = options
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const environment = {
    ...inheritedEnvironment(),
    SERVICE_PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATA_DIR: dataDir,
    LOG_LEVEL: logLevel,
  }
  const process = supervise({
    name: 'payment-sandbox',
    log: (line) => log('start', `payment-sandbox ${line}`),
    launch: async () =>
      launchService({
        args: [await bundles(paymentSandboxScript(repositoryRoot))],
        workingDirectory: repositoryRoot,
        environment,
        url,
        onLine: (line) => log('payment-sandbox', line),
      }),
  })
  return { process, url }
}
