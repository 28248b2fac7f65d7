import { z } from 'zod'
import { ApiError } from '../../api/api-error.ts'
import type { ListingKind, ListingValues } from './listing-values.ts'

const Details = z.array(z.object({ path: z.string(), message: z.string() }))

type FieldName = Exclude<keyof ListingValues, 'start' | 'end'> | 'start.day' | 'end.day'

const fields: ReadonlySet<string> = new Set<FieldName>([
  'name',
  'brand',
  'description',
  'categoryId',
  'volume',
  'remainingPercentage',
  'purchaseYear',
  'boxCondition',
  'batchCode',
  'imageUrl',
  'stockQuantity',
  'listingType',
  'price',
  'startingPrice',
  'bidIncrement',
  'reservePrice',
  'buyNowPrice',
])

/** What the server refuses, by the fields of the form that it is about; what belongs to none is left to the toast. */
export function serverProblems(error: unknown, kind: ListingKind): readonly { name: FieldName; message: string }[] {
  const details = error instanceof ApiError ? Details.safeParse(error.details).data : undefined
  return (details ?? []).flatMap(({ path, message }) => {
    const name = fieldOf(path.replace(/^auction\./, ''), kind)
    return name ? [{ name, message }] : []
  })
}

function fieldOf(path: string, kind: ListingKind): FieldName | null {
  if (path === 'endsAt') return 'end.day'
  if (path === 'startsAt') return 'start.day'
  if (path === 'price' && kind === 'auction') return 'startingPrice'
  return fields.has(path) ? (path as FieldName) : null
}
