import { z } from 'zod'
import { Rejection } from '../errors.ts'
import type { App, AppReply } from '../http/http.ts'
import type { CaughtMail, MailFolder } from './mail-catcher-folder.ts'
import { inboxPage, pageScript } from './mail-catcher-view.ts'

const Query = z.object({ to: z.string().optional(), view: z.enum(['html', 'text']).optional().catch(undefined) })

/** `/dev/inbox`: the page, one mail on it, and the same mails as JSON. */
export function addInboxPages(app: App, folder: MailFolder): void {
  const find = (id: string): CaughtMail => {
    const mail = folder.find(id)
    if (mail === undefined) throw new Rejection('not-found')
    return mail
  }

  app.get('/dev/inbox', async (request, reply) => {
    const { to, view } = Query.parse(request.query)
    const mails = folder.list(to)
    return sendPage(reply, inboxPage({ mails, to, view, open: mails[0], isChosen: false }))
  })
  app.get<{ Params: { id: string } }>('/dev/inbox/:id', async (request, reply) => {
    const { to, view } = Query.parse(request.query)
    const open = find(request.params.id)
    return sendPage(reply, inboxPage({ mails: folder.list(to), to, view, open, isChosen: true }))
  })
  app.get('/dev/inbox/messages', async (request, reply) => {
    const { to } = Query.parse(request.query)
    return reply.header('cache-control', 'no-store').send(folder.list(to))
  })
  app.get('/dev/inbox/newest', async (request, reply) => {
    const { to } = Query.parse(request.query)
    return reply.header('cache-control', 'no-store').send({ id: folder.list(to)[0]?.id ?? '' })
  })
  app.get('/dev/inbox/inbox.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(pageScript),
  )
  app.get<{ Params: { id: string } }>('/dev/inbox/messages/:id/html', async (request, reply) => {
    const { html } = find(request.params.id)
    // It comes from anybody: no script, nothing fetched, no origin; links open beside the page.
    return reply
      .headers({
        'content-security-policy':
          "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; " +
          "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
        'x-frame-options': 'SAMEORIGIN',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(withLinksInNewTabs(html))
  })
}

/** A link that opened inside the frame would show the site without scripts. */
function withLinksInNewTabs(html: string): string {
  const base = '<base target="_blank">'
  return /<head[^>]*>/i.test(html)
    ? html.replace(/<head[^>]*>/i, (head) => head + base)
    : `<!doctype html>${base}${html}`
}

function sendPage(reply: AppReply, page: string) {
  return reply
    .headers({
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-src 'self'; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(page)
}
