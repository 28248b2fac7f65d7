import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { css, styled } from 'styled-components'
import { color, motion, phone, radius, space, text, tint, weight } from '../theme/theme.ts'
import { pageNumbers } from './page-numbers.ts'

interface PaginationLabels {
  readonly name: string
  readonly previous: string
  readonly next: string
  readonly page: (page: number) => string
}

/** The pages of a list as links, so that each has an address; nothing when there is only one. */
export function Pagination({
  page,
  pages,
  hrefOf,
  labels,
}: {
  page: number
  pages: number
  hrefOf: (page: number) => string
  labels: PaginationLabels
}) {
  if (pages <= 1) return null
  return (
    <nav aria-label={labels.name}>
      <List>
        <li>
          <Step to={page - 1} isPossible={page > 1} label={labels.previous} hrefOf={hrefOf}>
            <ChevronLeft size={20} strokeWidth={1.5} aria-hidden />
          </Step>
        </li>
        {pageNumbers(page, pages).map((number, place, all) =>
          number === 'gap' ? (
            <Gap key={`gap after ${all[place - 1]}`} aria-hidden>
              …
            </Gap>
          ) : (
            <li key={number}>
              <NumberLink
                to={hrefOf(number)}
                preventScrollReset
                aria-label={labels.page(number)}
                aria-current={number === page ? 'page' : undefined}
              >
                {number}
              </NumberLink>
            </li>
          ),
        )}
        <li>
          <Step to={page + 1} isPossible={page < pages} label={labels.next} hrefOf={hrefOf}>
            <ChevronRight size={20} strokeWidth={1.5} aria-hidden />
          </Step>
        </li>
      </List>
    </nav>
  )
}

function Step({
  to,
  isPossible,
  label,
  hrefOf,
  children,
}: {
  to: number
  isPossible: boolean
  label: string
  hrefOf: (page: number) => string
  children: ReactNode
}) {
  return isPossible ? (
    <NumberLink to={hrefOf(to)} preventScrollReset aria-label={label}>
      {children}
    </NumberLink>
  ) : (
    <NoStep role="link" aria-disabled aria-label={label}>
      {children}
    </NoStep>
  )
}

const List = styled.ol`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(0.5)};
  align-items: center;
  justify-content: center;
  font-variant-numeric: tabular-nums;
  /* Nine places as large as a finger are on one line of a phone, when they may use its margins. */
  ${phone} { gap: 0; margin: 0 -${space(4)}; }
`

const cell = css`
  display: grid;
  place-items: center;
  min-width: ${space(11)};
  height: ${space(11)};
  padding: 0 ${space(1)};
  border: 1px solid transparent;
  border-radius: ${radius.small};
  font-size: ${text.body};
`

const NumberLink = styled(Link)`
  ${cell}
  text-decoration: none;
  transition: background-color ${motion.quick};
  &:hover { background: ${tint('ink', 6)}; }
  &[aria-current] { border-color: ${color.ink}; font-weight: ${weight.strong}; }
`

const NoStep = styled.span`
  ${cell}
  color: ${color.edge};
`

const Gap = styled.li`
  min-width: ${space(5)};
  color: ${color.muted};
  text-align: center;
`
