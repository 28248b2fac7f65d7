/** The colours by scheme. Every pair of a text and its ground has a contrast of at least 5.5:1. */
export const palettes = {
  light: {
    paper: '#FAF7F2',
    surface: '#FFFFFF',
    ink: '#1F1A17',
    muted: '#665C54',
    accent: '#8F4E1B',
    onAccent: '#FFFFFF',
    live: '#A3243B',
    ok: '#2F6B3F',
    warn: '#8A5A00',
    /** What is half full, drawn and not written. */
    amber: '#D99A1C',
    line: '#E7DFD4',
    /** Behind a bottle: the paper, a shade deeper. Only ink and muted words are set on it. */
    ground: '#F2ECE3',
    /** The edge of a field, which must be seen at 3:1. */
    edge: '#8C8177',
    shadow: '0 12px 32px rgb(31 26 23 / 14%)',
  },
  dark: {
    paper: '#141110',
    surface: '#1E1A18',
    ink: '#F4EEE6',
    muted: '#B8ACA0',
    accent: '#E0A165',
    onAccent: '#22160C',
    live: '#FF8A98',
    ok: '#8CCB98',
    warn: '#E7B75A',
    amber: '#E7B75A',
    line: '#37302B',
    ground: '#26201D',
    edge: '#85796E',
    shadow: '0 12px 32px rgb(0 0 0 / 55%)',
  },
} as const

/** In a contrast theme: those of its own colours that can be read on each other, by what they are for. */
export const contrastPalette: Readonly<Record<ColorName, string>> = {
  paper: 'Canvas',
  surface: 'Canvas',
  ink: 'CanvasText',
  muted: 'CanvasText',
  accent: 'LinkText',
  onAccent: 'Canvas',
  live: 'CanvasText',
  ok: 'CanvasText',
  warn: 'CanvasText',
  amber: 'CanvasText',
  line: 'GrayText',
  ground: 'Canvas',
  edge: 'CanvasText',
  shadow: 'none',
}

export type ColorName = keyof (typeof palettes)['light']
export type Scheme = keyof typeof palettes
