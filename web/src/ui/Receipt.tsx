import { Link } from 'react-router-dom'
import { createGlobalStyle, styled } from 'styled-components'
import { schemeProperties } from '../theme/global-style.ts'
import { color, font, radius, space, text, weight } from '../theme/theme.ts'
import { Page } from './Page.tsx'

/* The parts of a sheet that is read on the screen and printed. */

/** On paper there is the sheet alone, in dark ink whatever the screen shows. */
export const ReceiptPrintStyle = createGlobalStyle`
  @media print {
    :root, :root[data-scheme] { ${schemeProperties('light')} }
    html, body { background: none; }
    #root > :not(main) { display: none !important; }
    #root, main { min-height: 0 !important; }
    @page { margin: 20mm; }
  }
`

export const ReceiptSheet = styled(Page)`
  max-width: ${space(180)};
  @media print { padding: 0; }
`

export const ReceiptBar = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  align-items: center;
  margin-bottom: ${space(6)};
  @media print { display: none; }
`

export const ReceiptBack = styled(Link)`
  display: inline-flex;
  gap: ${space(2)};
  align-items: center;
  min-height: ${space(11)};
  margin-right: auto;
`

export const ReceiptPaper = styled.div`
  display: grid;
  gap: ${space(6)};
  padding: ${space(8)} ${space(6)};
  border: 1px solid ${color.line};
  border-top: 3px solid ${color.accent};
  border-radius: ${radius.small};
  background: ${color.surface};
  @media print { padding: 0; border: 0; }
`

export const ReceiptHead = styled.div`
  display: flex;
  gap: ${space(4)};
  align-items: baseline;
  justify-content: space-between;
`

export const ReceiptTitle = styled.h1`
  font-size: ${text.heading};
`

export const ReceiptBrand = styled.p`
  font-family: ${font.serif};
  font-size: ${text.title};
`

export const ReceiptItems = styled.table`
  width: 100%;
  border-collapse: collapse;
  font-variant-numeric: tabular-nums;
  th, td { padding: ${space(3)} 0 ${space(3)} ${space(4)}; text-align: right; vertical-align: top; }
  th:first-child, td:first-child { padding-left: 0; text-align: left; overflow-wrap: anywhere; }
  thead th { color: ${color.muted}; font-size: ${text.small}; font-weight: ${weight.strong}; }
  td:last-child { white-space: nowrap; }
  tbody tr { border-top: 1px dashed ${color.edge}; }
  tfoot tr { border-top: 1px dashed ${color.edge}; font-size: ${text.lead}; font-weight: ${weight.strong}; }
`

export const ReceiptNote = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`
