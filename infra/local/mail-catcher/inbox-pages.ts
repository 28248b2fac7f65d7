import { whenNeeded } from '@wangian/contracts/when-needed.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { escapeHtml } from '@wangian/kit/http/html.ts'
import type { App, AppReply } from '@wangian/kit/http/http.ts'
import { z } from 'zod'
import type { CaughtMail, MailFolder } from './mail-folder.ts'

const Query = z.object({ to: z.string().optional() })

/** `/dev/inbox`: the list of mails, a page for each, and the same mails as JSON. */
export function addInboxPages(app: App, folder: MailFolder): void {
  const find = (id: string): CaughtMail => {
    const mail = folder.find(id)
    if (mail === undefined) throw new Rejection('not-found')
    return mail
  }

  app.get('/dev/inbox', async (request, reply) => {
    const { to = '' } = Query.parse(request.query)
    return sendPage(reply, 'Inbox', listOf(folder.list(to), to))
  })
  app.get<{ Params: { id: string } }>('/dev/inbox/:id', async (request, reply) => {
    const mail = find(request.params.id)
    return sendPage(reply, `${mail.subject} · Inbox`, letter(mail))
  })
  app.get('/dev/inbox/messages', async (request, reply) => {
    const { to } = Query.parse(request.query)
    return reply.header('cache-control', 'no-store').send(folder.list(to))
  })
  app.get('/dev/inbox/inbox.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(listScript),
  )
  app.get<{ Params: { id: string } }>('/dev/inbox/messages/:id/html', async (request, reply) => {
    const { html } = find(request.params.id)
    // It comes from anybody: no script, nothing fetched, no origin; links open beside the page.
    return reply
      .headers({
        ...headers,
        'content-security-policy':
          "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; " +
          "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
        'x-frame-options': 'SAMEORIGIN',
      })
      .send(withLinksInNewTabs(html))
  })
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

function sendPage(reply: AppReply, title: string, main: string) {
  return reply
    .headers({
      ...headers,
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-src 'self'; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    })
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${sheet}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`)
}

const sheet = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 50rem; margin: 0 auto; overflow-wrap: anywhere; }
ol { padding: 0; list-style: none; }
li { padding: 0.75rem 0; border-top: 1px solid; }
input, button { max-width: 100%; font: inherit; }
pre { white-space: pre-wrap; }
iframe { width: 100%; height: 75vh; border: 1px solid; }
`

function listOf(mails: readonly CaughtMail[], to: string): string {
  const none = to === '' ? 'No mails yet.' : `No mail to ${escapeHtml(to)} yet.`
  return `<h1>Inbox</h1>
<p>Mails that were caught, not sent.</p>
<form action="/dev/inbox" role="search">
<label>To <input type="search" name="to" value="${escapeHtml(to)}" placeholder="name@example.com"></label>
<button>Show</button>
</form>
<div id="mails">
${mails.length === 0 ? `<p>${none}</p>` : `<ol>${mails.map(listItem).join('\n')}</ol>`}
</div>
<script src="/dev/inbox/inbox.js"></script>`
}

function listItem({ id, to, subject, date }: CaughtMail): string {
  return `<li><a href="/dev/inbox/${escapeHtml(id)}">${subjectOf(subject)}</a><br>${escapeHtml(to)}, ${time(date)}</li>`
}

function letter({ id, from, to, subject, date, text, html }: CaughtMail): string {
  const asText = `<pre>${withLinks(text)}</pre>`
  return `<p><a href="/dev/inbox">All mails</a></p>
<h1>${subjectOf(subject)}</h1>
<p>From: ${escapeHtml(from)}<br>To: ${escapeHtml(to)}<br>Arrived: ${time(date)}</p>
${
  html === ''
    ? asText
    : `<details><summary>As text</summary>${asText}</details>
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="/dev/inbox/messages/${escapeHtml(id)}/html" title="The mail"></iframe>`
}`
}

const subjectOf = (subject: string) => escapeHtml(subject || '(no subject)')

const clock = whenNeeded(
  () => new Intl.DateTimeFormat('en-MY', { timeZone: 'Asia/Kuala_Lumpur', dateStyle: 'medium', timeStyle: 'short' }),
)

function time(iso: string): string {
  return `<time datetime="${escapeHtml(iso)}">${clock().format(new Date(iso))}</time>`
}

/** Escaped text whose web addresses are links. */
function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, index) => {
      const shown = escapeHtml(part)
      return index % 2 === 0 ? shown : `<a href="${shown}" target="_blank" rel="noreferrer">${shown}</a>`
    })
    .join('')
}

/** A link that opened inside the frame would show the site without scripts. */
function withLinksInNewTabs(html: string): string {
  const base = '<base target="_blank">'
  return /<head[^>]*>/i.test(html)
    ? html.replace(/<head[^>]*>/i, (head) => head + base)
    : `<!doctype html>${base}${html}`
}

/** Shows a mail as soon as it has come; asks only while somebody looks. */
const listScript = `setInterval(async () => {
  if (document.visibilityState !== 'visible') return
  const answer = await fetch(location.href).catch(() => null)
  if (!answer?.ok) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('mails')
  const shown = document.getElementById('mails')
  if (fresh.innerHTML !== shown.innerHTML) shown.replaceWith(fresh)
}, 2000)
`
