import type { Language } from '@wangian/contracts/languages.ts'
import { escapeHtml } from '@wangian/kit/http/html.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { mailPalette } from './mail-palette.ts'
import { layoutWords } from './words/layout-words.ts'

export interface MailContent {
  /** Of what follows. */
  readonly language: Language
  readonly title: string
  /** Plain text; everything is escaped here. */
  readonly paragraphs: readonly string[]
  /** What there is to do: a button, with its address beneath it for whoever cannot click. */
  readonly button?: { readonly label: string; readonly url: string }
  /** Shown large, to be typed somewhere else. */
  readonly code?: string
  /** Why the person gets this mail, and what to do when it was not them. */
  readonly footer: string
  /** Where the person says which mails they want. */
  readonly settings?: { readonly label: string; readonly url: string }
  /** What a mailbox shows beside the subject; the first paragraph when not given. */
  readonly preheader?: string
}

/** A mail in the look of Wangian, as HTML and as plain text, to be handed to `queueMail`. */
export function mailLayout(content: MailContent): { readonly html: string; readonly text: string } {
  for (const link of [content.button, content.settings]) {
    invariant(link === undefined || /^https?:\/\/[^\s]+$/.test(link.url), 'a mail links to a web address')
  }
  return { html: toHtml(content), text: toText(content) }
}

function toText({ language, title, paragraphs, button, code, footer, settings }: MailContent): string {
  const { yourCode, orCode, place } = layoutWords[language]
  const parts = [title, ...paragraphs]
  if (button !== undefined) parts.push(`${button.label}:\n${button.url}`)
  if (code !== undefined) parts.push(`${button === undefined ? yourCode : orCode}: ${code}`)
  const choice = settings === undefined ? '' : `${settings.label}: ${settings.url}\n`
  return `${parts.join('\n\n')}\n\n-- \n${footer}\n${choice}${place}\n`
}

const { light, dark } = mailPalette
const serif = "Fraunces,'Iowan Old Style',Palatino,'Palatino Linotype',Georgia,serif"
const sans = "Figtree,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
/** Mailboxes fill the preview with what comes next in the mail; these take the room without being seen. */
const previewFiller = '&#847;&zwnj;&nbsp;'.repeat(60)

/*
 * The styles stand on the elements, because some mailboxes drop the sheet; the sheet has only what cannot stand there: the dark colours, and
 * the narrower edges of a phone.
 */
const sheet = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 480px) {
  .page { padding: 20px 12px 32px !important; }
  .card { padding: 28px 22px 30px !important; }
  .title { font-size: 25px !important; }
  .button { display: block !important; text-align: center !important; }
}
@media (prefers-color-scheme: dark) {
  .ground, .page { background: ${dark.paper} !important; }
  .card { background: ${dark.surface} !important; border-color: ${dark.line} !important; }
  .name, .title, .words, .code { color: ${dark.ink} !important; }
  .quiet { color: ${dark.muted} !important; }
  .link { color: ${dark.accent} !important; }
  .glass { border-color: ${dark.ink} !important; }
  .fill { background: ${dark.accent} !important; }
  .button { background: ${dark.accent} !important; color: ${dark.onAccent} !important; }
  .code { background: ${dark.ground} !important; border-color: ${dark.line} !important; }
  .rule { border-color: ${dark.line} !important; }
}
`

const styles = {
  ground: `margin:0;padding:0;background:${light.paper}`,
  page: `margin:0;padding:40px 16px 48px;background:${light.paper};font-family:${sans};font-size:16px;line-height:1.6;-webkit-text-size-adjust:100%`,
  preheader: 'display:none;max-height:0;overflow:hidden;mso-hide:all',
  column: 'max-width:560px;margin:0 auto',
  name: `margin:0 4px 20px;font-family:${serif};font-size:22px;line-height:1.2;letter-spacing:-0.01em;color:${light.ink}`,
  bottle: 'display:inline-block;margin-right:9px;vertical-align:-2px',
  neck: `display:block;width:5px;height:4px;margin:0 auto;border:1.5px solid ${light.ink};border-bottom:0;border-radius:1px 1px 0 0`,
  glass: `display:block;width:13px;height:15px;border:1.5px solid ${light.ink};border-radius:5px`,
  fill: `display:block;height:6px;margin:7px 1.5px 0;background:${light.accent};border-radius:0 0 3px 3px`,
  card: `padding:40px 44px 42px;background:${light.surface};border:1px solid ${light.line};border-radius:12px`,
  title: `margin:0 0 18px;font-family:${serif};font-size:29px;font-weight:400;line-height:1.2;letter-spacing:-0.012em;color:${light.ink}`,
  words: `margin:0 0 16px;color:${light.ink};overflow-wrap:break-word`,
  action: 'margin:28px 0 0',
  button: `display:inline-block;padding:14px 26px;background:${light.accent};border-radius:4px;color:${light.onAccent};font-weight:600;line-height:1.3;text-decoration:none`,
  quiet: `margin:18px 0 0;color:${light.muted};font-size:14px;line-height:1.55`,
  link: `color:${light.accent};word-break:break-all`,
  code: `margin:8px 0 0;padding:16px 20px;background:${light.ground};border:1px solid ${light.line};border-radius:4px;color:${light.ink};font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace;font-size:30px;line-height:1.2;letter-spacing:0.22em;text-align:center;text-indent:0.22em`,
  footer: `margin:22px 4px 0;color:${light.muted};font-size:13px;line-height:1.55`,
  rule: `margin:28px 0 0;border:0;border-top:1px solid ${light.line}`,
}

/** The mark of the house without a picture, for mailboxes fetch none and drop drawings. Where boxes have no size it is not there. */
const bottle =
  `<span style="${styles.bottle}"><span class="glass" style="${styles.neck}"></span>` +
  `<span class="glass" style="${styles.glass}"><span class="fill" style="${styles.fill}"></span></span></span>`

function toHtml({ language, title, paragraphs, button, code, footer, settings, preheader }: MailContent): string {
  const { yourCode, orCode, deadButton, place } = layoutWords[language]
  const parts = [
    `<h1 class="title" style="${styles.title}">${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => `<p class="words" style="${styles.words}">${escapeHtml(text)}</p>`),
  ]
  if (button !== undefined) parts.push(action(button, deadButton))
  if (code !== undefined)
    parts.push(button === undefined ? codeBlock(code, yourCode) : `${rule}\n${codeBlock(code, orCode)}`)
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(title)}</title>
<style>${sheet}</style>
</head>
<body class="ground" style="${styles.ground}">
<div class="page" role="article" aria-roledescription="email" aria-label="${escapeHtml(title)}" style="${styles.page}">
<div style="${styles.preheader}">${escapeHtml(preheader ?? paragraphs[0] ?? title)}${previewFiller}</div>
<div style="${styles.column}">
<p class="name" style="${styles.name}">${bottle}Wangian</p>
<div class="card" style="${styles.card}">
${parts.join('\n')}
</div>
<p class="quiet" style="${styles.footer}">${escapeHtml(footer)}<br>${settings === undefined ? '' : settingsLink(settings)}${place}</p>
</div>
</div>
</body>
</html>
`
}

function action({ label, url }: NonNullable<MailContent['button']>, deadButton: string): string {
  const address = escapeHtml(url)
  return `<p style="${styles.action}"><a class="button" href="${address}" style="${styles.button}">${escapeHtml(label)}</a></p>
<p class="quiet" style="${styles.quiet}">${deadButton}<br><a class="link" href="${address}" style="${styles.link}">${address}</a></p>`
}

function settingsLink({ label, url }: NonNullable<MailContent['settings']>): string {
  return `<a class="link" href="${escapeHtml(url)}" style="${styles.link}">${escapeHtml(label)}</a><br>`
}

const rule = `<hr class="rule" style="${styles.rule}">`

function codeBlock(code: string, words: string): string {
  return `<p class="quiet" style="${styles.quiet}">${words}:</p>
<p class="code" style="${styles.code}">${escapeHtml(code)}</p>`
}
