/** The languages of the site, the one of whoever wishes for neither first. */
export const languages = ['en', 'ms'] as const

export type Language = (typeof languages)[number]

/** What a page is in when nobody says otherwise, and what search engines find at an address that names no language. */
export const DEFAULT_LANGUAGE = 'en' satisfies Language

/** Keeps what a person has chosen, so that whoever serves a page knows it. */
export const LANGUAGE_COOKIE = 'wangian-language'

/** The part of an address that says which language its page is to be in, `?lang=ms`. */
export const LANGUAGE_PARAMETER = 'lang'

/** `null` for what is no language of ours. */
export function asLanguage(text: string | null | undefined): Language | null {
  return languages.find((language) => language === text) ?? null
}

/** The language of ours that a header `Accept-Language` likes best; `null` when it names none of them. */
export function wishedLanguage(header: string | undefined): Language | null {
  let best: { readonly language: Language; readonly quality: number } | null = null
  for (const wish of (header ?? '').slice(0, WISHES_LENGTH_MAX).split(',')) {
    const [range = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase())
    const quality = qualityOf(parameters)
    const language = range === '*' ? DEFAULT_LANGUAGE : asLanguage(range.split('-')[0])
    // Of two that are liked alike the first counts.
    if (language !== null && quality > (best?.quality ?? 0)) best = { language, quality }
  }
  return best?.language ?? null
}

/** Browsers send less than 200. */
const WISHES_LENGTH_MAX = 1_000

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = given === undefined ? 1 : Number(given.slice(2))
  return quality >= 0 && quality <= 1 ? quality : 0
}

/** Pages that are rendered with what they are about before they are sent, as `index` with requests for their files where that is not done. */
export const renderedTemplates = ['products', 'narrowed-products', 'product', 'auction', 'shop'] as const

/**
 * What the web app is built to, once for each language: `home` is rendered already, `index` begins empty, and all others are `index` with requests for
 * the files of their page. `products` asks for what the whole list shows, too.
 */
export const pageTemplates = ['home', 'index', ...renderedTemplates, 'messages', 'account', 'dashboard'] as const
export type PageTemplate = (typeof pageTemplates)[number]

/** The name of the file with a template. */
export function pageFileOf(page: PageTemplate, language: Language): string {
  return language === DEFAULT_LANGUAGE ? `${page}.html` : `${page}.${language}.html`
}

/** The file, beside the templates, with what renders pages; no browser is given it. */
export const RENDERER_FILE = '.renderer/render.mjs'
