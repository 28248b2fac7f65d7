import { z } from 'zod'
import { Rejection } from './errors.ts'
import type { App } from './http.ts'
import type { MailFolder } from './mail-catcher-folder.ts'

const Query = z.object({ to: z.string().optional() })

/** GET /dev/inbox and what belongs to it. */
export function addInboxPages(app: App, folder: MailFolder): void {
  app.get('/dev/inbox/messages', async (request, reply) => {
    const { to } = Query.parse(request.query)
    return reply.header('cache-control', 'no-store').send(folder.list(to))
  })
  app.get<{ Params: { id: string } }>('/dev/inbox/messages/:id/html', async (request, reply) => {
    const mail = folder.find(request.params.id)
    if (mail === undefined) throw new Rejection('not-found')
    return reply.type('text/html; charset=utf-8').send(mail.html)
  })
}
