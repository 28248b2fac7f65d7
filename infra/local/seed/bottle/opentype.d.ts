/** The few parts of opentype.js 2 that labels need; the package brings no types of its own. */
declare module 'opentype.js' {
  export interface PathCommand {
    readonly type: 'M' | 'L' | 'Q' | 'C' | 'Z'
    readonly x1?: number
    readonly y1?: number
    readonly x2?: number
    readonly y2?: number
    readonly x?: number
    readonly y?: number
  }
  interface Glyph {
    readonly advanceWidth: number
    getPath(x: number, y: number, fontSize: number): { readonly commands: readonly PathCommand[] }
  }
  interface Font {
    readonly unitsPerEm: number
    /** 0 is the box that stands for a missing letter. */
    charToGlyphIndex(letter: string): number
    stringToGlyphs(text: string): Glyph[]
    getKerningValue(left: Glyph, right: Glyph): number
  }
  const opentype: { parse(buffer: ArrayBuffer): Font }
  export default opentype
}
