import { createGlobalStyle } from 'styled-components'
import { type ColorName, contrastPalette, palettes, type Scheme } from './palettes.ts'
import { color, contrastTheme, font, propertyOf, reducedMotion, text, weight } from './theme.ts'

/** The custom properties of a scheme, as declarations. */
export function schemeProperties(scheme: Scheme): string {
  return `color-scheme: ${scheme}; ${paletteProperties(palettes[scheme])}`
}

function paletteProperties(palette: Readonly<Record<ColorName, string>>): string {
  const colors = Object.entries(palette) as [ColorName, string][]
  return colors.map(([name, value]) => `${propertyOf(name)}: ${value};`).join(' ')
}

// In a contrast theme we set its colours ourselves: a browser that did would paint every ground alike, and with them what is chosen and what is not.
// What is shown until the real faces arrive takes their room, so that nothing moves when they do: fonts that devices have, in the widths and
// heights of ours (as Capsize measures them; Fraunces as narrow as it is in headings). Without motion there is no transition at all: a short
// one would be one of everything, the page's margins as well, and all of it would come a frame late.
export const GlobalStyle = createGlobalStyle`
  :root { ${schemeProperties('light')} }
  @media (prefers-color-scheme: dark) { :root { ${schemeProperties('dark')} } }
  :root[data-scheme='light'] { ${schemeProperties('light')} }
  :root[data-scheme='dark'] { ${schemeProperties('dark')} }
  ${contrastTheme} { :root, :root[data-scheme] { ${paletteProperties(contrastPalette)} forced-color-adjust: none; } }

  @font-face {
    font-family: 'Fraunces by Georgia';
    src: local('Georgia');
    size-adjust: 103%;
    ascent-override: 95%;
    descent-override: 24.8%;
    line-gap-override: 0%;
  }
  @font-face {
    font-family: 'Fraunces by Noto';
    src: local('Noto Serif'), local('NotoSerif-Regular');
    size-adjust: 95.5%;
    ascent-override: 102.4%;
    descent-override: 26.7%;
    line-gap-override: 0%;
  }
  @font-face {
    font-family: 'Figtree by Arial';
    src: local('Arial'), local('ArialMT'), local('Roboto'), local('Roboto-Regular'), local('Liberation Sans'), local('Helvetica');
    size-adjust: 100.8%;
    ascent-override: 94.3%;
    descent-override: 24.8%;
    line-gap-override: 0%;
  }
  @font-face {
    font-family: 'Figtree by Noto';
    src: local('Noto Sans'), local('NotoSans-Regular');
    size-adjust: 95%;
    ascent-override: 100%;
    descent-override: 26.3%;
    line-gap-override: 0%;
  }

  *, *::before, *::after { box-sizing: border-box; }
  html { background: ${color.paper}; -webkit-text-size-adjust: 100%; scroll-padding: 80px 0 var(--bottom-bar, 0); }
  body {
    margin: 0;
    background: ${color.paper};
    color: ${color.ink};
    font: ${weight.regular} ${text.body} / 1.55 ${font.sans};
    -webkit-font-smoothing: antialiased;
    text-rendering: optimizeLegibility;
  }
  #root { display: flex; flex-direction: column; min-height: 100dvh; isolation: isolate; }
  h1, h2, h3, h4, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
  h1, h2, h3 {
    font-family: ${font.serif};
    font-weight: ${weight.regular};
    font-optical-sizing: auto;
    line-height: 1.15;
    letter-spacing: -0.012em;
    text-wrap: balance;
  }
  p, li, dd, blockquote { text-wrap: pretty; }
  ul, ol { list-style: none; }
  a { color: inherit; text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
  img, svg { display: block; max-width: 100%; }
  button, input, select, textarea { font: inherit; color: inherit; letter-spacing: inherit; }
  button { cursor: pointer; }
  [data-early-press] { opacity: 0.6; }
  :focus-visible { outline: 2px solid ${color.accent}; outline-offset: 2px; }
  main:focus { outline: none; }
  ::selection { background: ${color.accent}; color: ${color.onAccent}; }

  ${reducedMotion} {
    *, *::before, *::after {
      animation-duration: 0.01ms !important;
      animation-iteration-count: 1 !important;
      transition: none !important;
      scroll-behavior: auto !important;
    }
  }
`
