import scalar from '@scalar/fastify-api-reference'
import type { App } from '@wangian/kit/http.ts'

/** The API's documentation for people at `/api/docs` and for machines at `/api/docs/openapi.json`. */
export function addDocs(app: App, document: object): void {
  app.get('/api/docs/openapi.json', () => document)
  app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      // The reference brings its own inline script and styles; it shows nothing that a stranger wrote.
      reply.header(
        'content-security-policy',
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:",
      )
    })
    await scope.register(scalar, { routePrefix: '/api/docs', configuration: { content: document } })
  })
}
