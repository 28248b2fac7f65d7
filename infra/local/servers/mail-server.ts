import { findFreePort } from '@wangian/kit/free-port.ts'
import { type Bundles, unbundled } from '../builds/bundles.ts'
import { inheritedEnvironment, repositoryRoot } from '../config.ts'
import type { LogSink } from '../log.ts'
import { launchService } from '../processes/service-process.ts'
import { type SupervisedProcess, supervise } from '../processes/supervisor.ts'
import { mailCatcherScript } from '../services.ts'

/** A mail server that keeps mails in `<dataDir>/mails` and shows them; it is not started yet. */
export async function prepareMailCatcher(options: {
  readonly dataDir: string
  readonly logLevel: string
  readonly log: LogSink
  readonly bundles?: Bundles
}): Promise<{ readonly process: SupervisedProcess; readonly smtpUrl: string; readonly url: string }> {
  const { dataDir, logLevel, log, bundles = unbundled } = options
  const [smtpPort, httpPort] = [await findFreePort(), await findFreePort()]
  const url = `http://127.0.0.1:${httpPort}`
  const environment = {
    ...inheritedEnvironment(),
    SERVICE_PORT: String(httpPort),
    SMTP_PORT: String(smtpPort),
    DATA_DIR: dataDir,
    LOG_LEVEL: logLevel,
  }
  const process = supervise({
    name: 'mail-catcher',
    log: (line) => log('start', `mail-catcher ${line}`),
    launch: async () =>
      launchService({
        args: [await bundles(mailCatcherScript(repositoryRoot))],
        workingDirectory: repositoryRoot,
        environment,
        url,
        onLine: (line) => log('mail-catcher', line),
      }),
  })
  return { process, smtpUrl: `smtp://127.0.0.1:${smtpPort}`, url }
}
