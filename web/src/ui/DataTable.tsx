import { memo, type ReactNode } from 'react'
import { css, styled } from 'styled-components'
import { belowDesktop, color, from, phone, radius, space, text, tint, weight } from '../theme/theme.ts'
import { Skeleton } from './Skeleton.tsx'
import { VisuallyHidden } from './VisuallyHidden.tsx'

export interface Column<Row> {
  readonly key: string
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers stand right, in figures of one width. */
  readonly isNumber?: boolean
  /** What people have named or written: it may break anywhere, and leaves the others room to stay whole. The head of the card is one. */
  readonly isText?: boolean
  /** The head of the card on a phone. The first column is, unless another one says so. */
  readonly isTitle?: boolean
  /** A small picture: on a phone it stands beside the head of the card. */
  readonly isPicture?: boolean
  /** Buttons or a menu: its head is heard only, and on a phone it stands in the corner of the card. */
  readonly isActions?: boolean
  /** Left out of the cards of a phone: the page of the thing says it. */
  readonly isExtra?: boolean
  /** A button with words of its own: on a phone its head does not stand beside it. */
  readonly isButton?: boolean
}

/**
 * Rows of facts; on a phone each row is a card. `rows` is undefined while they load. A row is drawn again only when it or `columns` is
 * another object, so that a long table stays quick: keep `columns` between renders.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
  skeletons = 5,
  isWide = false,
}: {
  /** Heard and not seen: a heading stands above already. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  keyOf: (row: Row) => string | number
  skeletons?: number
  /** Its columns need a desktop: on a tablet, too, the rows are cards. */
  isWide?: boolean
}) {
  const titleKey = (columns.find((column) => column.isTitle) ?? columns[0])?.key
  return (
    <Table aria-busy={rows === undefined || undefined} data-wide={isWide || undefined}>
      <VisuallyHidden as="caption">{caption}</VisuallyHidden>
      <Head>
        <Line>
          {columns.map((column) => (
            <HeadCell key={column.key} scope="col" $number={column.isNumber ?? false}>
              {column.isActions ? <VisuallyHidden>{column.head}</VisuallyHidden> : column.head}
            </HeadCell>
          ))}
        </Line>
      </Head>
      <Body>
        {rows === undefined
          ? Array.from({ length: skeletons }, (_, place) => place).map((place) => (
              <Line key={place}>
                {columns.map((column) => (
                  <Cell key={column.key} $number={false} $text={false}>
                    <Skeleton $height={space(5)} $width={column.key === titleKey ? '80%' : '55%'} />
                  </Cell>
                ))}
              </Line>
            ))
          : rows.map((row) => <DataLine key={keyOf(row)} row={row} columns={columns} titleKey={titleKey} />)}
      </Body>
    </Table>
  )
}

const DataLine = memo(PlainDataLine) as typeof PlainDataLine

function PlainDataLine<Row>({
  row,
  columns,
  titleKey,
}: {
  row: Row
  columns: readonly Column<Row>[]
  titleKey: string | undefined
}) {
  const hasPicture = columns.some((column) => column.isPicture)
  return (
    <Line>
      {columns.map((column) => {
        const kind = kindOf(column, titleKey)
        return (
          <Cell
            key={column.key}
            $number={column.isNumber ?? false}
            $text={column.isText ?? kind === 'title'}
            data-kind={kind}
            data-pictured={hasPicture || undefined}
          >
            {(!kind || kind === 'extra') && !column.isButton && <OnCard aria-hidden>{column.head}</OnCard>}
            <Value>{column.cell(row)}</Value>
          </Cell>
        )
      })}
    </Line>
  )
}

function kindOf<Row>(column: Column<Row>, titleKey: string | undefined): string | undefined {
  if (column.isActions) return 'actions'
  if (column.isPicture) return 'picture'
  if (column.isExtra) return 'extra'
  return column.key === titleKey ? 'title' : undefined
}

/** How a part of the table looks where rows are cards. */
function onCards(look: ReturnType<typeof css>) {
  return css`
    ${phone} { & { ${look} } }
    ${belowDesktop} { table[data-wide] & { ${look} } }
  `
}

/* The roles are written out because a browser forgets them where `display` is not that of a table. */
const Table = styled.table.attrs({ role: 'table' })`
  width: 100%;
  border-collapse: collapse;
  font-size: ${text.body};
  ${phone} { display: block; }
  ${belowDesktop} { &[data-wide] { display: block; } }
`

const Head = styled.thead.attrs({ role: 'rowgroup' })`
  ${onCards(css`
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  `)}
`

const HeadCell = styled.th.attrs({ role: 'columnheader' })<{ $number: boolean }>`
  position: sticky;
  /* Below the bar of the page. */
  top: ${space(16.25)};
  z-index: 1;
  padding: ${space(2)} ${space(3)};
  background: ${color.paper};
  box-shadow: inset 0 -1px ${color.edge};
  color: ${color.muted};
  font-size: ${text.small};
  font-weight: ${weight.strong};
  text-align: ${({ $number }) => ($number ? 'right' : 'left')};
  white-space: nowrap;
`

const Body = styled.tbody.attrs({ role: 'rowgroup' })`
  ${onCards(css`
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: ${space(3)};
    ${from.tablet} { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  `)}
`

const Line = styled.tr.attrs({ role: 'row' })`
  tbody > & { border-bottom: 1px solid ${color.line}; }
  ${from.tablet} {
    tbody > &:hover { background: ${tint('ink', 3)}; }
  }
  ${onCards(css`
    position: relative;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: ${space(2)};
    align-content: start;
    padding: ${space(4)};
    border: 1px solid ${color.line};
    border-radius: ${radius.large};
    background: ${color.surface};
  `)}
`

const Cell = styled.td.attrs({ role: 'cell' })<{ $number: boolean; $text: boolean }>`
  padding: ${space(3)};
  text-align: ${({ $number }) => ($number ? 'right' : 'left')};
  font-variant-numeric: ${({ $number }) => ($number ? 'tabular-nums' : 'normal')};
  vertical-align: middle;
  overflow-wrap: ${({ $text }) => ($text ? 'anywhere' : 'normal')};
  ${onCards(css`
    display: flex;
    gap: ${space(4)};
    align-items: baseline;
    justify-content: space-between;
    padding: 0;
    text-align: right;
    overflow-wrap: break-word;
    &[data-kind='title'] { order: -1; justify-content: start; padding-right: ${space(10)}; font-weight: ${weight.strong}; text-align: left; }
    &[data-kind='picture'] { position: absolute; top: ${space(4)}; left: ${space(4)}; }
    &[data-kind='title'][data-pictured] { min-height: ${space(15)}; padding-left: ${space(15)}; align-items: center; }
    ${phone} { &[data-kind='extra'] { display: none; } }
    &[data-kind='actions'] { position: absolute; top: ${space(2)}; right: ${space(2)}; }
  `)}
`

const OnCard = styled.span`
  display: none;
  ${onCards(css`
    display: inline;
    flex: none;
    max-width: 50%;
    color: ${color.muted};
    font-size: ${text.small};
  `)}
`

const Value = styled.div`
  min-width: 0;
`
