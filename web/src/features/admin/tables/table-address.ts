import { useCallback } from 'react'
import { useLocation, useSearchParams } from 'react-router-dom'
import { z } from 'zod'
import type { AdminAddress, AdminTab } from '../../../paths.ts'
import { paths } from '../../../paths.ts'

/** What a table can be told to show, by the name that it has in the address. */
export type Choices = Readonly<Partial<Record<'status' | 'role' | 'kind' | 'action' | 'sort', readonly string[]>>>

type Chosen<Of extends Choices> = {
  readonly [Name in keyof Of]?: Of[Name] extends readonly (infer Value)[] ? Value : never
}

/** What of a table is shown, read from the address, which a reload and Back keep. */
export interface TableAddress<Of extends Choices = Choices> {
  readonly search: string
  readonly chosen: Chosen<Of>
  /** Of whom, or of what; `undefined` for everybody. */
  readonly user: number | undefined
  readonly product: number | undefined
  /** Who made it. */
  readonly reporter: number | undefined
  /** Counts from 1. */
  readonly page: number
  /** Where the page begins; `undefined` for the first one. */
  readonly cursor: string | undefined
  /** Something has been left out. */
  readonly isNarrowed: boolean
  /** Shows something else of it, from its first page on. `replace` leaves no step for Back. */
  readonly change: (changes: AdminAddress, options?: { readonly replace?: boolean }) => void
  /** Shows all of it. */
  readonly clear: () => void
}

export function useTableAddress<const Of extends Choices>(choices: Of): TableAddress<Of> {
  const [parameters, setParameters] = useSearchParams()
  const change = useCallback<TableAddress['change']>(
    (changes, { replace = false } = {}) =>
      setParameters(
        (current) => {
          for (const [name, value] of Object.entries({ ...changes, page: undefined, cursor: undefined })) {
            if (value === undefined || value === '') current.delete(name)
            else current.set(name, String(value))
          }
          return current
        },
        { replace, preventScrollReset: true },
      ),
    [setParameters],
  )
  return { ...addressOf(parameters, choices), change, clear: () => change(nothing) }
}

/** What parameters say; what they say and nobody knows is passed over. */
export function addressOf<const Of extends Choices>(
  parameters: URLSearchParams,
  choices: Of,
): Omit<TableAddress<Of>, 'change' | 'clear'> {
  const search = parameters.get('search')?.trim() ?? ''
  const chosen: Record<string, string> = {}
  for (const [name, known] of Object.entries(choices)) {
    const value = parameters.get(name)
    if (value !== null && known.includes(value)) chosen[name] = value
  }
  const [user, product, reporter, number] = ['user', 'product', 'reporter', 'page'].map((name) =>
    idFrom(parameters.get(name)),
  )
  const cursor = parameters.get('cursor') || undefined
  const { sort: _, ...filters } = chosen
  return {
    search,
    chosen: chosen as Chosen<Of>,
    user,
    product,
    reporter,
    // A page without its beginning is the first one.
    page: cursor === undefined ? 1 : (number ?? 1),
    cursor,
    isNarrowed:
      search !== '' || Object.keys(filters).length > 0 || [user, product, reporter].some((id) => id !== undefined),
  }
}

/** The links between the pages of a table. */
export interface Turns {
  readonly first: Turn | null
  readonly previous: Turn | null
  readonly next: Turn | null
}

export interface Turn {
  readonly to: string
  /** The beginnings of the pages before it; of the first one, the empty string. They stay with the entry of the history. */
  readonly state: { readonly trail: readonly string[] }
}

/** Where the pages around this one are. Its server knows only what comes next, so where each began is taken along. */
export function useTurns(tab: AdminTab | undefined, address: TableAddress, nextCursor: string | null): Turns {
  const trail = Trail.safeParse(useLocation().state).data?.trail ?? []
  return turnsOf(tab, address, nextCursor, trail)
}

export function turnsOf(
  tab: AdminTab | undefined,
  {
    page,
    cursor,
    ...address
  }: Pick<TableAddress, 'page' | 'cursor' | 'search' | 'chosen' | 'user' | 'product' | 'reporter'>,
  nextCursor: string | null,
  trail: readonly string[],
): Turns {
  const { search, chosen, user, product, reporter } = address
  const turnTo = (number: number, begins: string, before: readonly string[]): Turn => ({
    to: paths.adminDashboard(tab, {
      search,
      ...chosen,
      user,
      product,
      reporter,
      ...(begins !== '' && { page: number, cursor: begins }),
    }),
    state: { trail: before },
  })
  const before = trail.at(-1) ?? (page === 2 ? '' : undefined)
  return {
    first: page > 1 ? turnTo(1, '', []) : null,
    previous: page > 1 && before !== undefined ? turnTo(page - 1, before, trail.slice(0, -1)) : null,
    next: nextCursor === null ? null : turnTo(page + 1, nextCursor, [...trail, cursor ?? '']),
  }
}

const Trail = z.object({ trail: z.array(z.string()) })

const nothing: AdminAddress = {
  search: undefined,
  status: undefined,
  role: undefined,
  kind: undefined,
  action: undefined,
  user: undefined,
  product: undefined,
  reporter: undefined,
}

function idFrom(value: string | null): number | undefined {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}
