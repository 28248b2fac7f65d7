import type { FastifyInstance } from 'fastify'

/**
 * Remembers the routes of an app, so that a known path that is asked with another method can be told from an unknown
 * path. Routes with wildcards are left out: what they take below them only `isPage` knows.
 * @returns the methods of the routes that a URL fits, sorted; none for an unknown path
 */
export function allowedMethods(
  app: FastifyInstance,
  isPage: (path: string) => boolean = () => false,
): (url: string) => string[] {
  const routes: { readonly segments: readonly string[]; readonly methods: readonly string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    routes.push({ segments: url.split('/'), methods: [method].flat() })
  })
  return (url) => {
    const [path = ''] = url.split('?')
    const segments = path.split('/')
    const methods = routes.filter((route) => fits(route.segments, segments)).flatMap((route) => route.methods)
    if (methods.length === 0 && isPage(path)) return ['GET', 'HEAD']
    return [...new Set(methods)].sort()
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false
  return pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
}
