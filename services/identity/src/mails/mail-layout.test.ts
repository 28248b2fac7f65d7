import { readFileSync } from 'node:fs'
import { escapeHtml } from '@wangian/kit/http/html.ts'
import { describe, expect, it } from 'vitest'
import { type MailContent, mailLayout } from './mail-layout.ts'
import { mailPalette } from './mail-palette.ts'

const content: MailContent = {
  language: 'en',
  title: 'Confirm your email address',
  paragraphs: ['Hello Nur,', 'One step is left.'],
  button: { label: 'Confirm', url: 'https://wangian.test/auth/verify?token_hash=abc&type=signup' },
  code: '048213',
  footer: 'If it was not you, do nothing.',
}
const { html, text } = mailLayout(content)

describe('a mail as text', () => {
  it('has everything that there is to know and to do', () => {
    expect(text).toBe(`Confirm your email address

Hello Nur,

One step is left.

Confirm:
https://wangian.test/auth/verify?token_hash=abc&type=signup

Or enter this code: 048213

-- 
If it was not you, do nothing.
Wangian, Kuala Lumpur, Malaysia
`)
  })

  it('may have neither a button nor a code', () => {
    const { button, code, ...rest } = content
    expect(mailLayout(rest).text).not.toMatch(/http|code/)
    expect(mailLayout({ ...rest, code: '048213' }).text).toContain('Your code: 048213')
  })
})

describe('a mail that one may do without', () => {
  const settings = { label: 'Choose your mails', url: 'https://wangian.test/seller/dashboard?tab=settings&x' }
  const mail = mailLayout({ ...content, settings })

  it('leads to where it is turned off', () => {
    expect(mail.text).toContain(`\n${settings.label}: ${settings.url}\nWangian, Kuala`)
    expect(mail.html).toContain('href="https://wangian.test/seller/dashboard?tab=settings&amp;x"')
    expect(mail.html).toContain('>Choose your mails</a>')
  })

  it('leads to nothing but web addresses', () => {
    expect(() => mailLayout({ ...content, settings: { ...settings, url: 'javascript:alert(1)' } })).toThrow(
      /web address/,
    )
  })
})

describe('a mail as HTML', () => {
  it('says what the text says', () => {
    for (const words of [content.title, ...content.paragraphs, content.footer, '>Confirm</a>', '>048213</p>']) {
      expect(html).toContain(words)
    }
  })

  it('has the address on the button and written out', () => {
    const address = 'https://wangian.test/auth/verify?token_hash=abc&amp;type=signup'
    expect(html.split(`href="${address}"`)).toHaveLength(3)
    expect(html).toContain(`>${address}</a>`)
  })

  it('fetches nothing', () => {
    expect(html).not.toMatch(/<img|<link|<script|@import|url\(|src=/i)
  })

  it('shows its beginning beside the subject, or what it was told to', () => {
    expect(html.indexOf('Hello Nur,')).toBeLessThan(html.indexOf('<h1'))
    const told = mailLayout({ ...content, preheader: 'The link works for a day' }).html
    expect(told.indexOf('The link works for a day')).toBeLessThan(told.indexOf('<h1'))
  })

  it('is small enough for mailboxes that cut long ones', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(20_000)
  })

  const hostile = `<script>alert(1)</script>"'&<img src=x onerror=alert(1)>`
  it.each([
    ['title', { title: hostile }],
    ['paragraphs', { paragraphs: [hostile] }],
    ['label', { button: { label: hostile, url: 'https://wangian.test/' } }],
    ['address', { button: { label: 'Go', url: `https://wangian.test/?${hostile.replaceAll(' ', '+')}` } }],
    ['code', { code: hostile }],
    ['footer', { footer: hostile }],
    ['preheader', { preheader: hostile }],
  ])('lets no markup through the %s', (_name, change) => {
    const made = mailLayout({ ...content, ...change }).html
    expect(made).toContain('&lt;script&gt;')
    expect(made).not.toMatch(/<script|<img|"'&</)
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', '/auth/verify', 'https://wangian.test/ x', ''])(
    'does not link to %j',
    (url) => {
      expect(() => mailLayout({ ...content, button: { label: 'Go', url } })).toThrow('web address')
    },
  )
})

it('escapes what means something in HTML', () => {
  expect(escapeHtml(`a & b < c > d " e ' f`)).toBe('a &amp; b &lt; c &gt; d &quot; e &#39; f')
})

it('has the colours of the web app', () => {
  const palettes = readFileSync(new URL('../../../../web/src/theme/palettes.ts', import.meta.url), 'utf8')
  const [light, dark] = palettes.split('dark: {') as [string, string]
  for (const [part, palette] of [[light, mailPalette.light] as const, [dark, mailPalette.dark] as const]) {
    for (const [name, value] of Object.entries(palette)) expect(part).toContain(`${name}: '${value}'`)
  }
})
