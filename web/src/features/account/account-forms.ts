import { Email, ProfileChanges } from '@wangian/contracts/account.ts'
import { Password } from '@wangian/contracts/credentials.ts'
import { z } from 'zod'

// The rules of the account's forms. Those of the contracts carry their words, the others the key of theirs.

const { firstName, lastName, address } = ProfileChanges.shape

/** What a person says about themself. Another email address than `currentEmail` needs the password. */
export function detailsForm(currentEmail: string) {
  return z
    .object({ firstName, lastName, email: Email, address, currentPassword: z.string() })
    .superRefine(({ email, currentPassword }, context) => {
      if (currentPassword !== '' || isSameEmail(email, currentEmail)) return
      context.addIssue({ code: 'custom', path: ['currentPassword'], message: 'account.rules.currentPassword' })
    })
}

export function isSameEmail(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}

/** That the confirmation is the same is said in a toast as well, and so it is no rule of a field here. */
export const PasswordChange = z.object({
  currentPassword: z.string().min(1, 'account.rules.currentPassword'),
  newPassword: z.string().min(1, 'account.rules.newPassword').pipe(Password),
  confirmPassword: z.string().min(1, 'account.rules.confirmPassword'),
})

/** The username is typed again, so that nobody deletes an account by a slip. */
export function deletionForm(username: string) {
  return z.object({
    typedUsername: z
      .string()
      .trim()
      .refine((typed) => typed === username, 'account.rules.typedUsername'),
    /** Who signs in elsewhere has none; the server knows. */
    currentPassword: z.string(),
  })
}
