import { styled } from 'styled-components'
import { useTranslation } from '../../../lib/use-translation.ts'
import { type DashboardTab, paths } from '../../../paths.ts'
import { space } from '../../../theme/theme.ts'
import { Pagination } from '../../../ui/Pagination.tsx'
import type { OwnProducts } from './api.ts'

/** The pages of a list of own products, each with an address. */
export function Pages({
  list,
  page,
  tab,
  search = '',
}: {
  list: OwnProducts
  page: number
  tab?: DashboardTab
  search?: string
}) {
  const { t } = useTranslation()
  return (
    <Frame>
      <Pagination
        page={Math.min(page, list.pages)}
        pages={list.pages}
        hrefOf={(to) => paths.sellerDashboard(tab, { search, page: to > 1 ? to : undefined })}
        labels={{
          name: t('dashboard.pages.name'),
          previous: t('dashboard.pages.previous'),
          next: t('dashboard.pages.next'),
          page: (number) => t('dashboard.pages.page', { number }),
        }}
      />
    </Frame>
  )
}

/** The page that a query parameter names, the first one when it names none. */
export function pageFrom(parameter: string | null): number {
  const page = Number(parameter)
  return Number.isInteger(page) && page > 0 ? page : 1
}

const Frame = styled.div`
  margin-top: ${space(8)};
  &:empty { display: none; }
`
