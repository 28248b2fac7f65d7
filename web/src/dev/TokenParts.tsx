import { styled } from 'styled-components'
import type { ColorName } from '../theme/palettes.ts'
import { color, font, radius, space, text, weight } from '../theme/theme.ts'
import { Chapter, Row, Specimen } from './Specimen.tsx'

const swatches = [
  'paper',
  'surface',
  'ground',
  'line',
  'edge',
  'muted',
  'ink',
  'accent',
  'live',
  'ok',
  'warn',
] as const satisfies readonly ColorName[]

const sizes = Object.keys(text) as (keyof typeof text)[]
const steps = [1, 2, 3, 4, 6, 8, 12, 16] as const

/** The colours, type and distances that everything is made of. */
export function TokenParts() {
  return (
    <Chapter title="Tokens">
      <Specimen name="Colours">
        <Row>
          {swatches.map((name) => (
            <Swatch key={name}>
              <Colour style={{ background: color[name] }} />
              {name}
            </Swatch>
          ))}
        </Row>
      </Specimen>
      <Specimen name="Type: Fraunces for names and headings, Figtree for the rest">
        {sizes.map((size) => (
          <Line key={size}>
            <Size>{size}</Size>
            <span style={{ fontFamily: font.serif, fontSize: text[size], lineHeight: 1.15 }}>Baccarat Rouge 540</span>
            <span style={{ fontSize: text[size], lineHeight: 1.3 }}>RM 1,234.50</span>
          </Line>
        ))}
        <p>
          Regular for reading, <Strong>strong for what decides</Strong>; <a href="#content">a link is underlined</a>.
        </p>
      </Specimen>
      <Specimen name="Space, in steps of four pixels">
        <Row>
          {steps.map((step) => (
            <Swatch key={step}>
              <Distance style={{ width: space(step) }} />
              {step}
            </Swatch>
          ))}
        </Row>
      </Specimen>
    </Chapter>
  )
}

const Swatch = styled.div`
  display: grid;
  gap: ${space(1)};
  font-size: ${text.small};
`

const Colour = styled.span`
  width: ${space(20)};
  height: ${space(14)};
  border: 1px solid ${color.edge};
  border-radius: ${radius.small};
`

const Distance = styled.span`
  height: ${space(4)};
  background: ${color.accent};
`

const Line = styled.p`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)} ${space(6)};
  align-items: baseline;
  font-variant-numeric: tabular-nums;
`

const Size = styled.span`
  width: ${space(16)};
  color: ${color.muted};
  font-size: ${text.small};
`

const Strong = styled.span`
  font-weight: ${weight.strong};
`
