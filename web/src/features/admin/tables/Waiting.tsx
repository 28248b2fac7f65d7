import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, space, text } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import type { Table } from './use-table.ts'

/** Some rows under a heading, from one table or from several, and a sentence where there are none. */
export function Waiting<Row>({
  title,
  intro,
  tables,
  columns,
  keyOf,
  empty,
  aside,
}: {
  title: string
  intro?: string
  tables: readonly Table<Row>[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string | number
  empty: string
  /** At the other end of the heading's line. */
  aside?: ReactNode
}) {
  const { t } = useTranslation()
  const reload = () => {
    for (const table of tables) table.reload()
  }
  const failed = tables.find(({ error, rows }) => error && !rows)
  const isLoading = tables.some(({ rows, error }) => !rows && !error)
  const rows = tables.flatMap((table) => table.rows ?? [])
  return (
    <Part>
      <Head>
        <Title>{title}</Title>
        {aside}
      </Head>
      {intro && <Intro>{intro}</Intro>}
      {failed && (
        <Notice tone="live" title={t('problem.loadTitle')}>
          <p>{shownMessage(failed.error)}</p>
          <Button size="small" tone="secondary" onClick={reload}>
            {t('problem.tryAgain')}
          </Button>
        </Notice>
      )}
      {isLoading || rows.length > 0 ? (
        <DataTable
          caption={title}
          columns={columns}
          rows={isLoading ? undefined : rows}
          keyOf={keyOf}
          skeletons={2}
          isWide
        />
      ) : (
        !failed && <Empty>{empty}</Empty>
      )}
    </Part>
  )
}

const Part = styled.section`
  display: grid;
  gap: ${space(3)};
  min-width: 0;
`

const Head = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(4)};
  align-items: baseline;
  justify-content: space-between;
`

const Title = styled.h2`
  font-size: ${text.title};
`

const Intro = styled.p`
  color: ${color.muted};
`

const Empty = styled.p`
  padding: ${space(5)} 0;
  border-top: 1px solid ${color.line};
  border-bottom: 1px solid ${color.line};
  color: ${color.muted};
`
