import { escapeHtml } from '../http/html.ts'
import type { CaughtMail } from './mail-catcher-folder.ts'
import { mailPalette } from './mail-palette.ts'

export interface InboxView {
  /** Newest first. */
  readonly mails: readonly CaughtMail[]
  /** Only mails to this address are listed. */
  readonly to: string | undefined
  readonly view: 'html' | 'text' | undefined
  readonly open: CaughtMail | undefined
  /** Whether a person chose the mail; a phone shows the list until then. */
  readonly isChosen: boolean
}

/** The page that lists mails and shows one of them. */
export function inboxPage({ mails, to, view, open, isChosen }: InboxView): string {
  const title = open === undefined ? 'Inbox' : `${open.subject} · Inbox`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${sheet}</style>
<script src="/dev/inbox/inbox.js" defer></script>
</head>
<body class="${isChosen ? 'reading' : 'listing'}" data-newest="${mails[0]?.id ?? ''}">
<header>
<p class="name"><a href="/dev/inbox">${bottle} Wangian</a></p>
<p class="about">Inbox: mails that were caught, not sent.</p>
<form action="/dev/inbox" role="search">
<input type="search" name="to" value="${escapeHtml(to ?? '')}" placeholder="To: name@example.com" aria-label="Show mails to this address">
<button>Show</button>
</form>
</header>
<main class="panes">
<h1 class="spoken">Inbox</h1>
<nav aria-label="Mails">
${mails.length === 0 ? emptyList(to) : `<ol>${mails.map((mail) => listItem(mail, to, mail.id === open?.id)).join('\n')}</ol>`}
</nav>
<div class="reader">
${open === undefined ? '' : letter(open, to, view ?? (open.html === '' ? 'text' : 'html'))}
</div>
</main>
</body>
</html>
`
}

const bottle = `<svg viewBox="0 0 20 26" width="16" height="21" aria-hidden="true"><path class="glass" d="M7 1h6v4.6c0 .6.3 1.2.8 1.5l1.7 1.1A5 5 0 0 1 17.8 12.4V21a4 4 0 0 1-4 4H6.2a4 4 0 0 1-4-4v-8.6A5 5 0 0 1 4.5 8.2l1.7-1.1c.5-.3.8-.9.8-1.5z"/><path class="fill" d="M4.2 15h11.6v5.6a2.4 2.4 0 0 1-2.4 2.4H6.6a2.4 2.4 0 0 1-2.4-2.4z"/></svg>`

function emptyList(to: string | undefined): string {
  if (to) return `<p class="empty">No mail to ${escapeHtml(to)} yet. <a href="/dev/inbox">Show all mails</a></p>`
  return '<p class="empty">No mails yet. Register an account or ask for a new password, and the mail appears here.</p>'
}

function listItem(mail: CaughtMail, to: string | undefined, isOpen: boolean): string {
  return `<li><a href="${addressOf(mail, { to })}"${isOpen ? ' aria-current="true"' : ''}>
<span class="line"><span class="to">${escapeHtml(mail.to)}</span>${time(mail.date)}</span>
<span class="subject">${escapeHtml(mail.subject || '(no subject)')}</span>
</a></li>`
}

function letter(mail: CaughtMail, to: string | undefined, view: 'html' | 'text'): string {
  const tab = (name: 'html' | 'text', label: string) =>
    `<a href="${addressOf(mail, { to, view: name })}"${view === name ? ' aria-current="page"' : ''}>${label}</a>`
  const body =
    view === 'text'
      ? `<pre>${withLinks(mail.text)}</pre>`
      : `<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="/dev/inbox/messages/${mail.id}/html" title="${escapeHtml(mail.subject)}"></iframe>`
  return `<article>
<div class="head">
<p class="back"><a href="/dev/inbox${to ? `?to=${encodeURIComponent(to)}` : ''}">All mails</a></p>
<h2>${escapeHtml(mail.subject || '(no subject)')}</h2>
<dl>
<div><dt>From</dt><dd>${escapeHtml(mail.from)}</dd></div>
<div><dt>To</dt><dd>${escapeHtml(mail.to)}</dd></div>
<div><dt>Arrived</dt><dd>${time(mail.date)}</dd></div>
</dl>
<p class="tabs">${tab('html', 'As HTML')}${tab('text', 'As text')}</p>
</div>
${body}
</article>`
}

function addressOf({ id }: CaughtMail, query: { to: string | undefined; view?: string }): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const search = new URLSearchParams(given).toString()
  return escapeHtml(`/dev/inbox/${id}${search && `?${search}`}`)
}

const clock = new Intl.DateTimeFormat('en-MY', {
  timeZone: 'Asia/Kuala_Lumpur',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

function time(iso: string): string {
  return `<time datetime="${escapeHtml(iso)}">${clock.format(new Date(iso))}</time>`
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

/** Shows a mail as soon as it has come; asks only while somebody looks. */
export const pageScript = `const { newest } = document.body.dataset
async function look() {
  if (document.visibilityState !== 'visible') return
  const answer = await fetch('/dev/inbox/newest' + location.search).catch(() => null)
  if (answer?.ok && (await answer.json()).id !== newest) location.reload()
}
setInterval(look, 2000)
document.addEventListener('visibilitychange', look)
`

type Palette = (typeof mailPalette)[keyof typeof mailPalette]
const properties = (palette: Palette) =>
  Object.entries(palette)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ')

const sheet = `
:root { color-scheme: light dark; ${properties(mailPalette.light)} }
@media (prefers-color-scheme: dark) { :root { ${properties(mailPalette.dark)} } }
*, *::before, *::after { box-sizing: border-box; }
html { background: var(--paper); -webkit-text-size-adjust: 100%; }
body {
  display: flex; flex-direction: column; height: 100dvh; margin: 0; color: var(--ink);
  font: 400 15px/1.5 Figtree, -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif;
}
h1, h2, p, ol, dl, dd { margin: 0; padding: 0; }
ol { list-style: none; }
a { color: inherit; text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.name, h2 {
  font-family: Fraunces, 'Iowan Old Style', Palatino, 'Palatino Linotype', Georgia, serif;
  font-weight: 400; line-height: 1.2; letter-spacing: -0.012em;
}
header { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 16px 24px; border-bottom: 1px solid var(--line); }
.name { font-size: 21px; }
.name a { display: inline-flex; align-items: center; gap: 8px; text-decoration: none; }
.glass { fill: none; stroke: var(--ink); stroke-width: 1.5; stroke-linejoin: round; }
.fill { fill: var(--accent); }
.about { flex: 1; color: var(--muted); }
form { display: flex; gap: 8px; }
input, button { font: inherit; color: inherit; border-radius: 4px; padding: 8px 12px; }
input { width: 260px; min-width: 0; border: 1px solid var(--muted); background: var(--surface); }
input::placeholder { color: var(--muted); opacity: 1; }
button { border: 1px solid var(--accent); background: none; color: var(--accent); font-weight: 600; cursor: pointer; }
.panes { flex: 1; display: flex; min-height: 0; }
nav { width: 380px; flex: none; overflow-y: auto; border-right: 1px solid var(--line); }
.reader { flex: 1; min-width: 0; display: flex; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
li { border-bottom: 1px solid var(--line); }
li a { display: block; padding: 14px 24px; border-left: 3px solid transparent; padding-left: 21px; text-decoration: none; }
li a:hover { background: var(--ground); }
li a[aria-current] { background: var(--surface); border-left-color: var(--accent); }
.line { display: flex; justify-content: space-between; gap: 12px; color: var(--muted); font-size: 13px; }
.to, .subject { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.subject { display: block; margin-top: 2px; }
time { flex: none; font-variant-numeric: tabular-nums; }
.empty { padding: 48px 24px; color: var(--muted); max-width: 40ch; }
article { flex: 1; min-width: 0; display: flex; flex-direction: column; }
.head { padding: 24px 32px 0; background: var(--surface); border-bottom: 1px solid var(--line); }
.back { display: none; margin-bottom: 12px; color: var(--muted); }
h2 { font-size: 28px; text-wrap: balance; overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: 4px 28px; margin-top: 14px; color: var(--muted); }
dl div { display: flex; gap: 8px; min-width: 0; }
dd { color: var(--ink); overflow-wrap: anywhere; }
.tabs { display: flex; gap: 24px; margin-top: 16px; }
.tabs a { padding: 10px 0; margin-bottom: -1px; border-bottom: 2px solid transparent; color: var(--muted); text-decoration: none; }
.tabs a[aria-current] { border-color: var(--accent); color: var(--ink); }
iframe { flex: 1; width: 100%; border: 0; }
pre { flex: 1; margin: 0; padding: 28px 32px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; }
pre a { color: var(--accent); }
@media (max-width: 767.98px) {
  header { padding: 14px 16px; }
  .about { flex: 1 1 60%; font-size: 13px; }
  form { width: 100%; }
  input { flex: 1; font-size: 16px; }
  .reading header { display: none; }
  .reading nav, .listing .reader { display: none; }
  nav { width: 100%; border-right: 0; }
  li a { padding: 14px 16px 14px 13px; }
  li a[aria-current] { background: none; border-left-color: transparent; }
  .head { padding: 16px 16px 0; }
  .back { display: block; }
  h2 { font-size: 23px; }
  dl { display: grid; gap: 2px; font-size: 14px; }
  dt { width: 4.2em; flex: none; }
  pre { padding: 20px 16px; }
}
`
