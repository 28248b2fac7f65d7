import { z } from 'zod'
import { Id, IdParam } from './ids.ts'
import { route } from './route.ts'

/** Packages with this id or a higher one are premium. */
export const PREMIUM_PACKAGE_ID_MIN = 5

/** So many products in the first places for so long. Prices are in sen. */
export const BoostPackage = z
  .object({
    id: Id,
    name: z.string(),
    package_type: z.enum(['standard', 'premium']),
    item_count: z.int().positive(),
    price: z.int().min(0),
    /** For one product. */
    effective_price: z.int().min(0),
    duration_hours: z.int().positive(),
    /** As it is shown. */
    duration_formatted: z.string(),
  })
  .meta({ id: 'BoostPackage' })
export type BoostPackage = z.infer<typeof BoostPackage>

export const boostRoutes = {
  listPackages: route({
    method: 'GET',
    path: '/api/boost/packages',
    access: 'public',
    summary: 'What can be bought, or the one with that id',
    query: z.object({ id: IdParam.optional() }),
    answers: { 200: z.array(BoostPackage) },
  }),
} as const
