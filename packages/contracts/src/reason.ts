import { z } from 'zod'
import { isStorableText } from './text.ts'

/** Why an administrator does something. */
export const Reason = z
  .string('Reason is required')
  .trim()
  .min(1, 'Reason is required')
  .max(500, 'Please use at most 500 characters')
  .refine(isStorableText, 'Reason is required')
