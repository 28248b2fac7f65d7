import { DEFAULT_LANGUAGE, LANGUAGE_PARAMETER, type Language, languages } from '@wangian/contracts/languages.ts'
import { LARGE_PICTURE_SIZES, pictureWidths } from '@wangian/contracts/pictures.ts'
import { escapeHtml } from '@wangian/kit/http/html.ts'
import type { PageHead } from './page-head.ts'

/** Tells the web app which tags are of the page that was asked for: it takes them away when it shows another one. */
const SERVED = 'data-served'

/** The tags of a page's head. Whatever people wrote is text in them, and cannot become anything else. */
export function headTags(head: PageHead): string {
  const {
    title,
    description,
    language,
    canonical,
    type = 'website',
    image,
    largePicture,
    reads = [],
    things = [],
  } = head
  const meta = (key: 'name' | 'property', name: string, content: string) =>
    `<meta ${key}="${name}" content="${escapeHtml(content)}" ${SERVED} />`
  const link = (rel: string, address: string, hreflang?: string) =>
    `<link rel="${rel}"${hreflang === undefined ? '' : ` hreflang="${hreflang}"`} href="${escapeHtml(address)}" ${SERVED} />`
  return [
    `<title ${SERVED}>${escapeHtml(title)}</title>`,
    meta('name', 'description', description),
    ...(canonical === null
      ? [meta('name', 'robots', 'noindex')]
      : [
          link('canonical', addressIn(language, canonical)),
          ...alternatesOf(canonical).map(([each, address]) => link('alternate', address, each)),
          meta('property', 'og:url', addressIn(language, canonical)),
        ]),
    meta('property', 'og:site_name', 'Wangian'),
    meta('property', 'og:locale', `${language}_MY`),
    ...languages
      .filter((each) => each !== language)
      .map((each) => meta('property', 'og:locale:alternate', `${each}_MY`)),
    meta('property', 'og:type', type),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    ...(image === undefined
      ? []
      : [
          meta('property', 'og:image', image.url),
          ...(image.widthPx === undefined ? [] : [meta('property', 'og:image:width', String(image.widthPx))]),
          ...(image.heightPx === undefined ? [] : [meta('property', 'og:image:height', String(image.heightPx))]),
          meta('property', 'og:image:alt', image.alt),
        ]),
    meta('name', 'twitter:card', image === undefined ? 'summary' : 'summary_large_image'),
    meta('name', 'twitter:title', title),
    meta('name', 'twitter:description', description),
    ...(image === undefined ? [] : [meta('name', 'twitter:image', image.url)]),
    ...(largePicture === undefined ? [] : [requestOfPicture(largePicture)]),
    ...reads.map(requestOfData),
    ...(things.length === 0 ? [] : [dataOf(things)]),
  ].join('\n    ')
}

/** Where a page is in each language, and for whoever reads neither: they are shown what the browser wishes for. */
export function alternatesOf(address: string): (readonly [language: Language | 'x-default', address: string])[] {
  return [...languages.map((each) => [each, addressIn(each, address)] as const), ['x-default', address]]
}

/** The address of a page in a language: search engines find the default one at the address that names none. */
function addressIn(language: Language, address: string): string {
  if (language === DEFAULT_LANGUAGE) return address
  return `${address}${address.includes('?') ? '&' : '?'}${LANGUAGE_PARAMETER}=${language}`
}

/** Asks for a picture as the page is going to, so that it is there when the page is. */
function requestOfPicture(path: string): string {
  const widths = escapeHtml(pictureWidths(path))
  return `<link rel="preload" as="image" imagesrcset="${widths}" imagesizes="${LARGE_PICTURE_SIZES}" fetchpriority="high" ${SERVED} />`
}

/** As the page's `fetch` asks for it: the browser takes the one for the other. */
function requestOfData(address: string): string {
  return `<link rel="preload" as="fetch" crossorigin="anonymous" href="${escapeHtml(address)}" ${SERVED} />`
}

/** Data in a page: no text in it can end the element. */
function dataOf(things: readonly object[]): string {
  const json = JSON.stringify({ '@context': 'https://schema.org', '@graph': things })
  const inert = json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `<script type="application/ld+json" ${SERVED}>${inert}</script>`
}
