import httpProxy from '@fastify/http-proxy'
import { Failure } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'

const PREFIX = '/dev/inbox'
const TIMEOUT_MS = 5_000

/** Shows the mails that a local mail catcher has caught. They open every account, so this is not for production. */
export function addMailInbox(app: App, catcherUrl: string): void {
  app.register(async (scope) => {
    // The proxy brings its own.
    scope.removeContentTypeParser('application/json')
    await scope.register(httpProxy, {
      upstream: catcherUrl,
      prefix: PREFIX,
      rewritePrefix: PREFIX,
      httpMethods: ['GET', 'HEAD'],
      http: { requestOptions: { timeout: TIMEOUT_MS } },
      disableRequestLogging: true,
      replyOptions: {
        retryDelay: () => null,
        onError: (reply, { error }) =>
          void reply.send(new Failure('the mail catcher does not answer', { cause: error })),
      },
    })
  })
}
