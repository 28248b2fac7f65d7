import { z } from 'zod'

/** What people sign in with, as they choose it. Apart from `identity.ts`, which every page needs. */
export const Username = z
  .string()
  .trim()
  .min(3, 'Username must be at least 3 characters')
  .max(30, 'Username must be at most 30 characters')
  .regex(/^[A-Za-z0-9_.-]+$/, 'Username may hold letters, digits, dots, dashes and underscores')

export const Password = z
  .string()
  .min(6, 'Password must be at least 6 characters')
  .max(72, 'Password must be at most 72 characters')
