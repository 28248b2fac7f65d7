import type { App } from '@wangian/kit/http/http.ts'
import { CompressedAnswers } from './compressed.ts'
import { createForwarder } from './forwarder.ts'
import { forwardBelow } from './proxy.ts'
import { Copies } from './upstreams.ts'

const TIMEOUT_MS = 5_000

/** Shows the mails that a local mail catcher has caught. They open every account, so this is not for production. */
export function addMailInbox(app: App, catcherUrl: string): void {
  addPages(app, '/dev/inbox', catcherUrl, ['GET', 'HEAD'])
}

/** Shows the bills of a local payment sandbox, where everything is free. */
export function addPaymentSandbox(app: App, sandboxUrl: string): void {
  addPages(app, '/dev/payment', sandboxUrl, ['GET', 'HEAD', 'POST'])
}

function addPages(app: App, prefix: string, url: string, methods: string[]): void {
  const forwarder = createForwarder(new Copies([url]), { timeoutMs: TIMEOUT_MS, answers: new CompressedAnswers() })
  app.addHook('onClose', () => forwarder.close())
  forwardBelow(app, prefix, forwarder, methods)
}
