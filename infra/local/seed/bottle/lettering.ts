import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import opentype, { type PathCommand } from 'opentype.js'
import { number } from './geometry.ts'

export const faces = {
  garamond: '@fontsource/cormorant-garamond/files/cormorant-garamond-latin-600-normal.woff',
  garamondItalic: '@fontsource/cormorant-garamond/files/cormorant-garamond-latin-500-italic.woff',
  cinzel: '@fontsource/cinzel/files/cinzel-latin-500-normal.woff',
  bodoni: '@fontsource/bodoni-moda/files/bodoni-moda-latin-500-normal.woff',
} as const
export type Face = keyof typeof faces

export interface Line {
  readonly text: string
  readonly face: Face
  readonly sizePx: number
  /** Extra space between letters, in parts of the size. */
  readonly tracking?: number
}

/**
 * Outlines instead of `<text>`: the renderer would otherwise pick whatever serif the machine happens to have, and a
 * fresh container has none.
 * @returns path data of the line with its baseline at `y`, centred on `x`
 */
export function outlineText(line: Line, x: number, y: number): string {
  const font = fontOf(line.face)
  const scale = line.sizePx / font.unitsPerEm
  const gap = (line.tracking ?? 0) * line.sizePx
  const glyphs = font.stringToGlyphs(line.text)
  let cursor = x - textWidthPx(line) / 2
  const parts: string[] = []
  glyphs.forEach((glyph, index) => {
    parts.push(pathData(glyph.getPath(cursor, y, line.sizePx).commands))
    const next = glyphs[index + 1]
    cursor += glyph.advanceWidth * scale + (next ? font.getKerningValue(glyph, next) * scale + gap : 0)
  })
  return parts.join('')
}

export function textWidthPx(line: Line): number {
  const font = fontOf(line.face)
  const scale = line.sizePx / font.unitsPerEm
  const glyphs = font.stringToGlyphs(line.text)
  let width = 0
  glyphs.forEach((glyph, index) => {
    const next = glyphs[index + 1]
    width += glyph.advanceWidth * scale
    if (next) width += font.getKerningValue(glyph, next) * scale + (line.tracking ?? 0) * line.sizePx
  })
  return width
}

/** The line at the largest size, up to its own, at which it is not wider than `widthPx`. */
export function fitText(line: Line, widthPx: number): Line {
  const width = textWidthPx(line)
  return width <= widthPx ? line : { ...line, sizePx: (line.sizePx * widthPx) / width }
}

/** Breaks a name where its two halves come out most even; short names stay on one line. */
export function breakName(name: string, lettersMax: number): readonly string[] {
  const words = name.split(' ')
  if (name.length <= lettersMax || words.length === 1) return [name]
  const breaks = words.slice(1).map((_, index) => [words.slice(0, index + 1), words.slice(index + 1)] as const)
  const lines = breaks.map((halves) => halves.map((half) => half.join(' ')))
  const longest = (halves: readonly string[]) => Math.max(...halves.map((half) => half.length))
  return lines.reduce((best, halves) => (longest(halves) < longest(best) ? halves : best))
}

/** The letters of a text that one of the faces cannot show. */
export function missingLetters(text: string): string[] {
  const shown = Object.keys(faces) as Face[]
  return [...new Set(text)].filter((letter) => shown.some((face) => fontOf(face).charToGlyphIndex(letter) === 0))
}

/** Written here because opentype.js 2.0.0 joins "2.2" and a rounded "-0" to "2.20", which ends a path early. */
function pathData(commands: readonly PathCommand[]): string {
  return commands
    .map(({ type, x1, y1, x2, y2, x, y }) => {
      const values = [x1, y1, x2, y2, x, y].filter((value) => value !== undefined)
      return `${type}${values.map(number).join(' ')}`
    })
    .join('')
}

const require = createRequire(import.meta.url)
const loaded = new Map<Face, ReturnType<typeof opentype.parse>>()

function fontOf(face: Face) {
  const known = loaded.get(face)
  if (known) return known
  const file = readFileSync(require.resolve(faces[face]))
  const font = opentype.parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer)
  loaded.set(face, font)
  return font
}
