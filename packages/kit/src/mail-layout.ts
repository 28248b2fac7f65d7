import { invariant } from './invariant.ts'

export interface MailContent {
  readonly title: string
  /** Plain text; everything is escaped here. */
  readonly paragraphs: readonly string[]
  /** What there is to do: a button, with its address beneath it for whoever cannot click. */
  readonly button?: { readonly label: string; readonly url: string }
  /** Shown large, to be typed somewhere else. */
  readonly code?: string
  /** Why the person gets this mail, and what to do when it was not them. */
  readonly footer: string
  /** What a mailbox shows beside the subject; the first paragraph when not given. */
  readonly preheader?: string
}

/** A mail in the look of Wangian, as HTML and as plain text, to be handed to `queueMail`. */
export function mailLayout(content: MailContent): { readonly html: string; readonly text: string } {
  const { button } = content
  invariant(button === undefined || /^https?:\/\/[^\s]+$/.test(button.url), 'a mail links to a web address')
  return { html: toHtml(content), text: toText(content) }
}

function toText({ title, paragraphs, button, code, footer }: MailContent): string {
  const parts = [title, ...paragraphs]
  if (button !== undefined) parts.push(`${button.label}:\n${button.url}`)
  if (code !== undefined) parts.push(`Your code: ${code}`)
  return `${parts.join('\n\n')}\n\n-- \n${footer}\n`
}

function toHtml({ title, paragraphs, button, code, footer }: MailContent): string {
  const parts = [`<h1>${escapeHtml(title)}</h1>`, ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`)]
  if (button !== undefined) {
    parts.push(`<p><a href="${escapeHtml(button.url)}">${escapeHtml(button.label)}</a></p>`)
  }
  if (code !== undefined) parts.push(`<p>${escapeHtml(code)}</p>`)
  return `<!doctype html><html lang="en"><body>${parts.join('')}<p>${escapeHtml(footer)}</p></body></html>`
}

/** Text that may stand in HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
