import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http.ts'

const SERVER_PATHS = /^\/(api|auth\/v1|ws)(\/|$|\?)/
/** Files whose name holds a hash of their content never change. */
const HASHED = /\/assets\//

/** Serves the built web app; every path that a browser navigates to and no file or service owns shows the app itself. */
export function addWebApp(app: App, webDist: string): void {
  app.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: webDist,
      wildcard: false,
      index: false,
      preCompressed: true,
      setHeaders: (reply, path) => {
        reply.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'public, max-age=300')
      },
    })
    scope.get('/*', async (request, reply) => {
      const isPage = request.headers.accept?.includes('text/html') ?? false
      if (SERVER_PATHS.test(request.url) || !isPage) throw new Rejection('not-found')
      return reply.header('cache-control', 'no-store').sendFile('index.html', join(webDist))
    })
  })
}
