import httpProxy from '@fastify/http-proxy'
import { Failure } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'

const TIMEOUT_MS = 5_000

/** Shows the mails that a local mail catcher has caught. They open every account, so this is not for production. */
export function addMailInbox(app: App, catcherUrl: string): void {
  addPages(app, { prefix: '/dev/inbox', upstream: catcherUrl, httpMethods: ['GET', 'HEAD'] })
}

/** Shows the bills of a local payment sandbox, where everything is free. */
export function addPaymentSandbox(app: App, sandboxUrl: string): void {
  addPages(app, { prefix: '/dev/payment', upstream: sandboxUrl, httpMethods: ['GET', 'HEAD', 'POST'] })
}

function addPages(
  app: App,
  { prefix, ...to }: { readonly prefix: string; readonly upstream: string; readonly httpMethods: string[] },
): void {
  app.register(async (scope) => {
    // The proxy brings its own.
    scope.removeContentTypeParser('application/json')
    await scope.register(httpProxy, {
      ...to,
      prefix,
      rewritePrefix: prefix,
      http: { requestOptions: { timeout: TIMEOUT_MS } },
      disableRequestLogging: true,
      replyOptions: {
        retryDelay: () => null,
        onError: (reply, { error }) => void reply.send(new Failure(`${prefix} does not answer`, { cause: error })),
      },
    })
  })
}
