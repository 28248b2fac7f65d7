import { Link } from 'react-router-dom'
import { css, styled } from 'styled-components'
import { useTranslation } from '../../../lib/use-translation.ts'
import type { AdminTab } from '../../../paths.ts'
import { color, radius, space, tint, weight } from '../../../theme/theme.ts'
import { type TableAddress, type Turn, useTurns } from './table-address.ts'
import { pageRows, type Table } from './use-table.ts'

/** The links to the pages before and after, where there are any. */
export function Pages<Row>({
  tab,
  address,
  table: { rows, nextCursor },
}: {
  tab: AdminTab | undefined
  address: TableAddress
  table: Table<Row>
}) {
  const { t } = useTranslation()
  const { first, previous, next } = useTurns(tab, address, nextCursor)
  if (!first && !next) return null
  const start = (address.page - 1) * pageRows
  return (
    <Nav aria-label={t('admin.pages.name')}>
      <Shown>
        {rows !== undefined &&
          rows.length > 0 &&
          t('admin.pages.rows', { first: start + 1, last: start + rows.length })}
      </Shown>
      <Step turn={address.page > 2 ? first : null}>{t('admin.pages.first')}</Step>
      <Step turn={previous}>{t('admin.pages.previous')}</Step>
      <Step turn={next}>{t('admin.pages.next')}</Step>
    </Nav>
  )
}

function Step({ turn, children }: { turn: Turn | null; children: string }) {
  return turn ? (
    <StepLink to={turn.to} state={turn.state} preventScrollReset>
      {children}
    </StepLink>
  ) : (
    <NoStep role="link" aria-disabled>
      {children}
    </NoStep>
  )
}

const Nav = styled.nav`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(1)};
  align-items: center;
  margin-top: ${space(6)};
`

const Shown = styled.p`
  flex: 1 1 ${space(50)};
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
`

const stepLook = css`
  display: inline-grid;
  place-items: center;
  min-height: ${space(11)};
  padding: 0 ${space(4)};
  border-radius: ${radius.small};
  font-weight: ${weight.strong};
`

const StepLink = styled(Link)`
  ${stepLook}
  text-decoration: none;
  &:hover { background: ${tint('ink', 6)}; }
`

const NoStep = styled.span`
  ${stepLook}
  color: ${color.edge};
`
