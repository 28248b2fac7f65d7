import { ADMIN_FOUND_COUNTED_MAX, type peopleSorts } from '@wangian/contracts/admin.ts'
import { X } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import type { AdminTab } from '../../../paths.ts'
import { color, from, radius, space, text } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { LoadFailure } from '../../../ui/LoadFailure.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { type Option, SortMenu } from '../../../ui/SortMenu.tsx'
import { Pages } from './Pages.tsx'
import type { TableAddress } from './table-address.ts'
import type { Table } from './use-table.ts'

/** As a menu names it: the address names none. */
const all = 'all'

/** One of the choices above a table. */
export interface Filter {
  readonly name: 'status' | 'role' | 'kind' | 'action' | 'sort'
  readonly label: string
  readonly options: readonly Option<string>[]
  /** What is chosen where the address says nothing. */
  readonly otherwise: Option<string>
}

/** A table of the dashboard with what narrows it, its pages, and what stands there when there are no rows. */
export function TableView<Row>({
  tab,
  title,
  intro,
  count,
  address,
  table,
  columns,
  keyOf,
  search,
  filters,
  narrowed,
  empty,
  aside,
}: {
  tab: AdminTab | undefined
  title: string
  /** What the rows mean, where the title does not say it all. */
  intro?: string
  /** How many there are, in words. */
  count: (total: number) => string
  address: TableAddress
  table: Table<Row>
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string | number
  /** What can be searched for; without it there is no search. */
  search?: { readonly label: string; readonly placeholder: string }
  filters: readonly Filter[]
  /** Says of whom or what it shows, where it does not show everything. */
  narrowed?: ReactNode
  empty: { readonly title: string; readonly text: string }
  /** Beside the filters. */
  aside?: ReactNode
}) {
  const { t } = useTranslation()
  const { rows, total, error } = table
  const { change } = address
  // A search that finds very much is not counted.
  const many = rows && !table.isOld && address.search !== '' && t('admin.manyFound', { count: ADMIN_FOUND_COUNTED_MAX })
  const totalWords = total === null ? many : count(total)
  const searchFor = useCallback((words: string) => change({ search: words }, { replace: true }), [change])
  const heading = useHeadingFocus(address.page, Boolean(narrowed))

  return (
    <>
      <Head>
        <div>
          <Title ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {intro && <Intro>{intro}</Intro>}
          <Total role="status">{totalWords}</Total>
        </div>
        {search && <SearchField key={tab} {...search} search={address.search} onSearch={searchFor} />}
      </Head>
      <Tools>
        {filters.map(({ name, label, options, otherwise }) => (
          <SortMenu
            key={name}
            label={label}
            value={address.chosen[name] ?? otherwise.value}
            options={[otherwise, ...options]}
            onChange={(value) => address.change({ [name]: value === otherwise.value ? undefined : value })}
          />
        ))}
        {aside}
      </Tools>
      {narrowed}
      {error && !rows ? (
        <LoadFailure onRetry={table.reload}>{shownMessage(error)}</LoadFailure>
      ) : rows?.length === 0 && address.isNarrowed ? (
        <EmptyState
          title={t('admin.noMatchTitle')}
          action={
            <Button
              tone="secondary"
              onClick={() => {
                address.clear()
                heading.current?.focus()
              }}
            >
              {t('admin.showAll')}
            </Button>
          }
        >
          {t('admin.noMatchText')}
        </EmptyState>
      ) : rows?.length === 0 && address.page === 1 ? (
        <EmptyState title={empty.title}>{empty.text}</EmptyState>
      ) : (
        <Rows aria-busy={table.isOld || undefined} $isOld={table.isOld}>
          <DataTable caption={title} columns={columns} rows={rows} keyOf={keyOf} skeletons={10} isWide />
        </Rows>
      )}
      <Pages tab={tab} address={address} table={table} />
    </>
  )
}

/** The heading, which has the focus at another page's top, and when what shows everything again has gone with the focus. */
function useHeadingFocus(page: number, isNarrowed: boolean) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shownPage = useRef(page)
  useEffect(() => {
    if (shownPage.current !== page) heading.current?.focus()
    shownPage.current = page
  }, [page])
  useEffect(() => {
    if (!isNarrowed) return
    return () => {
      if (document.activeElement === document.body) heading.current?.focus()
    }
  }, [isNarrowed])
  return heading
}

/** A filter's option that leaves nothing out. */
export function everything(label: string): Option<string> {
  return { value: all, label }
}

type Sort = Exclude<(typeof peopleSorts)[number], 'newest'> | `${'price' | 'total'}-${'asc' | 'desc'}`

/** The choice of an order; the newest come first without one. */
export function sortOf(t: Translate, sorts: readonly Sort[]): Filter {
  return {
    name: 'sort',
    label: t('admin.sortBy'),
    otherwise: { value: 'newest', label: t('admin.sorts.newest') },
    options: sorts.map((value) => ({ value, label: t(`admin.sorts.${value}`) })),
  }
}

/** Says of whom or what a table is, and shows all of it again. */
export function Narrowed({ children, onClear }: { children: ReactNode; onClear: () => void }) {
  const { t } = useTranslation()
  return (
    <Chip>
      {children}
      <Clear type="button" aria-label={t('admin.showAll')} onClick={onClear}>
        <X size={16} strokeWidth={1.75} aria-hidden />
      </Clear>
    </Chip>
  )
}

const Head = styled.div`
  display: grid;
  gap: ${space(4)};
  margin-bottom: ${space(4)};
  ${from.tablet} { grid-template-columns: minmax(0, 1fr) minmax(0, ${space(90)}); align-items: end; }
`

export const Title = styled.h2`
  font-size: ${text.title};
  &:focus { outline: none; }
`

const Intro = styled.p`
  margin-top: ${space(1)};
  color: ${color.muted};
`

export const Total = styled.p`
  min-height: 1.55em;
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
`

export const Tools = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  align-items: center;
  margin-bottom: ${space(5)};
`

const Rows = styled.div<{ $isOld: boolean }>`
  opacity: ${({ $isOld }) => ($isOld ? 0.6 : 1)};
  transition: opacity 150ms ease-out 150ms;
`

const Chip = styled.p`
  display: inline-flex;
  gap: ${space(1)};
  align-items: center;
  margin-bottom: ${space(5)};
  padding-left: ${space(4)};
  border: 1px solid ${color.edge};
  border-radius: ${radius.round};
  background: ${color.surface};
`

const Clear = styled.button`
  display: grid;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  padding: 0;
  border: 0;
  border-radius: ${radius.round};
  background: none;
  color: ${color.muted};
  &:hover { color: ${color.ink}; }
`
