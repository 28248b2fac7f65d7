import type { ColorName } from './palettes.ts'

const colorNames = [
  'paper',
  'surface',
  'ink',
  'muted',
  'accent',
  'onAccent',
  'live',
  'ok',
  'warn',
  'amber',
  'line',
  'ground',
  'edge',
  'shadow',
] as const satisfies readonly ColorName[]

/** The custom property that holds a colour of the scheme in use. */
export const propertyOf = (name: ColorName) => `--${name}`

/**
 * The tokens. They are constants over custom properties instead of a provider's values, so that light and dark change
 * without a render and every style is static.
 */
export const color = Object.fromEntries(colorNames.map((name) => [name, `var(${propertyOf(name)})`])) as Record<
  ColorName,
  string
>

/** Type sizes: 13, 15, 17, 21, 28, 38, 52. */
export const text = {
  small: '0.8125rem',
  body: '0.9375rem',
  lead: '1.0625rem',
  title: '1.3125rem',
  heading: '1.75rem',
  display: '2.375rem',
  hero: '3.25rem',
} as const

export const font = {
  serif: "'Fraunces Variable', 'Fraunces by Georgia', 'Fraunces by Noto', Georgia, serif",
  sans: "'Figtree Variable', 'Figtree by Arial', 'Figtree by Noto', system-ui, sans-serif",
} as const

export const weight = { regular: 400, strong: 600 } as const
export const radius = { small: '4px', large: '12px', round: '999px' } as const
/** In `em` and never in `ch`, which changes when the real face takes the place of what stood in for it, and with it where lines break. */
export const width = { page: '1200px', prose: '43.6em', form: '30rem', toast: '420px' } as const
export const motion = { quick: '150ms ease-out', calm: '200ms ease-out' } as const
export const layer = { bar: 10, header: 20, popup: 30, toast: 40 } as const

/** Layout widths; below `tablet` is a phone. */
export const from = {
  tablet: '@media (min-width: 768px)',
  desktop: '@media (min-width: 1024px)',
} as const
export const phone = '@media (max-width: 767.98px)'
/** Where a header has no room for words: also a window of 1280 px at 400 %. */
export const narrowPhone = '@media (max-width: 359.98px)'
/** A phone that is held upright: in a low window a bar at the bottom would cover the page. */
export const uprightPhone = '@media (max-width: 767.98px) and (min-height: 480px)'
export const belowDesktop = '@media (max-width: 1023.98px)'
/** A contrast theme of the device. */
export const contrastTheme = '@media (forced-colors: active)'
export const reducedMotion = '@media (prefers-reduced-motion: reduce)'
/** Distances are multiples of four pixels. */
export function space(steps: number): string {
  return `${steps * 4}px`
}

/**
 * For what looks smaller than the 44 pixels that a finger needs: so much around it, in pixels, counts as a part of it. It has to be
 * positioned.
 */
export function reach(above: number, beside = above): string {
  return `&::after { position: absolute; inset: -${above}px -${beside}px; content: ''; }`
}

/** Styles of what is smaller while it is in a bar at the bottom of a phone. */
export function inBar(styles: string): string {
  return `${uprightPhone} { [data-bar] & { ${styles} } }`
}

/** A colour thinned over whatever is behind it; `percent` is what stays of it. */
export function tint(name: ColorName, percent: number): string {
  return `color-mix(in srgb, ${color[name]} ${percent}%, transparent)`
}

/** Where one is in a menu. In a contrast theme, a thin ground would not be seen. */
export const highlight = `
  outline: none;
  background: ${tint('ink', 7)};
  ${contrastTheme} { outline: 2px solid ${color.accent}; outline-offset: -2px; }
`
