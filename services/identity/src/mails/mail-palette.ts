/**
 * The colours of the web app's theme, for mails, which are made without it.
 * A test holds them to `web/src/theme/palettes.ts`.
 */
export const mailPalette = {
  light: {
    paper: '#FAF7F2',
    surface: '#FFFFFF',
    ink: '#1F1A17',
    muted: '#665C54',
    accent: '#8F4E1B',
    onAccent: '#FFFFFF',
    line: '#E7DFD4',
    ground: '#F2ECE3',
  },
  dark: {
    paper: '#141110',
    surface: '#1E1A18',
    ink: '#F4EEE6',
    muted: '#B8ACA0',
    accent: '#E0A165',
    onAccent: '#22160C',
    line: '#37302B',
    ground: '#26201D',
  },
} as const
