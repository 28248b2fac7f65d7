import { useCallback, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { useNow } from '../../../lib/use-now.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, from, space, text } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { LoadFailure } from '../../../ui/LoadFailure.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { type OwnProducts, useOwnProducts } from './api.ts'
import { auctionStateOf } from './auction-state.ts'
import { BoostSelected } from './BoostSelected.tsx'
import { CancelAuctionDialog } from './CancelAuctionDialog.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { Pages, pageFrom } from './Pages.tsx'
import { type ProductAction, ProductTable } from './ProductTable.tsx'
import { ReleaseLotDialog } from './ReleaseLotDialog.tsx'
import type { Ticks } from './ticks.ts'

const MINUTE_MS = 60_000
/** What is on its way is there within seconds, as a rule. */
const RESULT_CHECK_MS = 10_000

/** All own products, with what can be done about each. */
export function ProductsTab({ ticks, onAdd }: { ticks: Ticks; onAdd: () => void }) {
  const { t } = useTranslation()
  const [parameters, setParameters] = useSearchParams()
  const search = parameters.get('search')?.trim() ?? ''
  const page = pageFrom(parameters.get('page'))
  const list = useOwnProducts({ search }, page)
  const { products, total, error } = list
  useResults(list)
  const [action, setAction] = useState<ProductAction | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)

  const searchFor = useCallback(
    (words: string) =>
      setParameters(
        (current) => {
          if (words) current.set('search', words)
          else current.delete('search')
          current.delete('page')
          return current
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParameters],
  )
  // Another page begins at its top.
  const shownPage = useRef(page)
  useEffect(() => {
    if (shownPage.current !== page) heading.current?.focus()
    shownPage.current = page
  }, [page])
  const close = () => setAction(null)
  const isEmpty = products?.length === 0

  return (
    <>
      <Head>
        <div>
          {/* Where the focus goes when what had it has left, such as a row. */}
          <Title ref={heading} tabIndex={-1}>
            {t('dashboard.yourProducts')}
          </Title>
          <Total role="status">{total !== null && t('dashboard.count', { count: total })}</Total>
        </div>
        <SearchField
          label={t('dashboard.search')}
          placeholder={t('dashboard.searchPlaceholder')}
          search={search}
          onSearch={searchFor}
        />
      </Head>
      {error && !products ? (
        <LoadFailure onRetry={list.reload}>{shownMessage(error)}</LoadFailure>
      ) : isEmpty && search ? (
        <EmptyState
          title={t('dashboard.noMatchTitle')}
          action={
            <Button
              tone="secondary"
              onClick={() => {
                searchFor('')
                heading.current?.focus()
              }}
            >
              {t('dashboard.clearSearch')}
            </Button>
          }
        >
          {t('dashboard.noMatchText', { search })}
        </EmptyState>
      ) : isEmpty ? (
        <EmptyState title={t('dashboard.emptyTitle')} action={<Button onClick={onAdd}>{t('dashboard.add')}</Button>}>
          {t('dashboard.emptyText')}
        </EmptyState>
      ) : (
        <ProductTable products={products} ticks={ticks} onAction={setAction} />
      )}
      <Pages list={list} page={page} search={search} />
      <BoostSelected ticks={ticks} />
      {action?.kind === 'delete' && (
        <DeleteDialog
          product={action.product}
          list={list}
          onClose={close}
          onDeleted={() => {
            close()
            ticks.remove(action.product.id)
            heading.current?.focus()
          }}
        />
      )}
      {action?.kind === 'cancel-auction' && (
        <CancelAuctionDialog product={action.product} list={list} onClose={close} />
      )}
      {action?.kind === 'release-lot' && <ReleaseLotDialog product={action.product} list={list} onClose={close} />}
    </>
  )
}

/** Reads the list again while the result of an auction in it is on its way, and somebody looks. */
function useResults({ products, reload }: OwnProducts): void {
  const now = useNow(MINUTE_MS)
  const isAnyClosing = products?.some((product) => auctionStateOf(product, now)?.kind === 'closing') === true
  const latest = useRef(reload)
  useEffect(() => {
    latest.current = reload
  })
  useEffect(() => {
    if (!isAnyClosing) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current()
    }, RESULT_CHECK_MS)
    return () => clearInterval(timer)
  }, [isAnyClosing])
}

const Head = styled.div`
  display: grid;
  gap: ${space(4)};
  margin-bottom: ${space(5)};
  ${from.tablet} { grid-template-columns: minmax(0, 1fr) minmax(0, ${space(90)}); align-items: end; }
`

const Title = styled.h2`
  font-size: ${text.title};
  &:focus { outline: none; }
`

const Total = styled.p`
  min-height: 1.55em;
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
`
