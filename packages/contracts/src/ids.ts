import { z } from 'zod'

/** A positive safe integer, as every numeric id of the product is. */
export const Id = z.int().positive()

/** An id in a path or query: digits only, no sign, no leading zero, no exponent (`1e3`, ` 1` and `01` are refused). */
export const IdParam = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'Invalid id')
  .transform(Number)
  .refine(Number.isSafeInteger, 'Invalid id')

export const UserId = Id
export const ProductId = Id
export const AuctionId = Id

/** An id chosen by the caller so that a retry is recognised as the same request. Of bids, which are many, a time-ordered one costs least to keep. */
export const RequestKey = z.uuid()
