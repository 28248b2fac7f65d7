import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import type { SWRResponse } from 'swr'
import { isApiError, shownMessage } from '../../api/api-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { from, space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { type Fact, Facts } from '../../ui/Facts.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { Page, PageTitle } from '../../ui/Page.tsx'
import type { MenuAction } from '../../ui/RowMenu.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'

/** All that is known of one thing: what it is, what can be done about it, what belongs to it, and what has happened. */
export function RecordPage<Thing>({
  back,
  title,
  query,
  notFound,
  children,
}: {
  back: { readonly to: string; readonly label: string }
  /** In the tab of the browser. */
  title: string
  query: SWRResponse<Thing, Error>
  notFound: string
  children: (thing: Thing) => ReactNode
}) {
  const { t } = useTranslation()
  const { data, error, mutate } = query
  return (
    <Page>
      <title>{`${title} · ${t('shell.brand')}`}</title>
      <Back to={back.to}>
        <ArrowLeft size={18} strokeWidth={1.5} aria-hidden />
        {back.label}
      </Back>
      {data !== undefined ? (
        children(data)
      ) : error === undefined ? (
        <Lines aria-busy>
          <VisuallyHidden role="status">{t('shell.loading')}</VisuallyHidden>
          {['40%', '100%', '100%', '100%', '70%'].map((width, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change
            <Skeleton key={line} $height={space(6)} $width={width} />
          ))}
        </Lines>
      ) : isNotFound(error) ? (
        <EmptyState heading="h1" title={notFound} />
      ) : (
        <LoadFailure heading="h1" onRetry={() => void mutate()}>
          {shownMessage(error)}
        </LoadFailure>
      )}
    </Page>
  )
}

function isNotFound(error: Error): boolean {
  return (['user-not-found', 'order-not-found', 'product-not-found', 'not-found'] as const).some((code) =>
    isApiError(error, code),
  )
}

/** The head of such a page, with the actions in place. */
export function RecordHead({
  title,
  picture,
  standing,
  actions,
}: {
  title: string
  picture?: ReactNode
  standing: ReactNode
  actions: readonly MenuAction[]
}) {
  return (
    <Head>
      {picture}
      <Words>
        <PageTitle>{title}</PageTitle>
        <Standing>{standing}</Standing>
      </Words>
      <Actions>
        {actions.map((action) =>
          'to' in action ? (
            <ActionLink key={action.label} to={action.to}>
              {action.label}
            </ActionLink>
          ) : (
            <Button
              key={action.label}
              size="small"
              tone={action.tone === 'danger' ? 'danger' : 'secondary'}
              disabled={action.disabled ?? false}
              onClick={action.onSelect}
            >
              {action.label}
            </Button>
          ),
        )}
      </Actions>
    </Head>
  )
}

/** What it is on the left, and what belongs to it and has happened on the right. */
export function RecordBody({ facts, children }: { facts: readonly Fact[]; children: ReactNode }) {
  return (
    <Columns>
      <aside>
        <Facts facts={facts} />
      </aside>
      <Main>{children}</Main>
    </Columns>
  )
}

const Back = styled(Link)`
  display: inline-flex;
  gap: ${space(2)};
  align-items: center;
  min-height: ${space(11)};
  margin-bottom: ${space(4)};
`

const Lines = styled.div`
  display: grid;
  gap: ${space(5)};
  max-width: 40rem;
`

const Head = styled.header`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(4)};
  align-items: center;
`

const Words = styled.div`
  flex: 1 1 ${space(60)};
  min-width: 0;
  overflow-wrap: anywhere;
`

const Standing = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(4)};
  margin-top: ${space(1)};
`

const Actions = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  & > button { white-space: normal; }
`

const ActionLink = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(11)};
  padding: 0 ${space(3)};
`

const Columns = styled.div`
  display: grid;
  gap: ${space(10)};
  margin-top: ${space(8)};
  & > * { min-width: 0; }
  ${from.desktop} { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: ${space(12)}; align-items: start; }
`

const Main = styled.div`
  display: grid;
  gap: ${space(12)};
  & > * { min-width: 0; }
`
