import { ProfileChanges } from '@wangian/contracts/account.ts'
import { Password, Username } from '@wangian/contracts/credentials.ts'
import { z } from 'zod'

/**
 * The rules of the sign-in screen with the keys of their words: the words themselves are in the language files. Who has
 * an account may sign in with it, so that signing in asks for less than registering.
 */
const SignInPassword = z.string().min(6, 'auth.rules.password')

export const UsernameSignIn = z.object({
  username: z.string().trim().min(3, 'auth.rules.username'),
  password: SignInPassword,
})

export const EmailSignIn = z.object({
  email: z.email('auth.rules.email'),
  password: SignInPassword,
})

export const ResetRequest = z.object({ email: z.email('auth.rules.email') })

/** People copy it with the blanks that a mail may show in it. */
export const MailedCode = z.object({
  digits: z
    .string()
    .transform((digits) => digits.replaceAll(/[\s-]/g, ''))
    .pipe(z.string().regex(/^\d{6}$/, 'auth.codeRule')),
})

/** What both forms for a new password ask for. */
const isMatching = (form: { password: string; confirmPassword: string }) => form.password === form.confirmPassword
const mismatch = {
  path: ['confirmPassword'],
  message: 'auth.rules.match',
  // Also while other fields are wrong, so that everything shows at once.
  when: ({ value }: { value: unknown }) =>
    z.object({ password: z.string(), confirmPassword: z.string() }).safeParse(value).success,
}

export const NewPassword = z.object({ password: Password, confirmPassword: z.string() }).refine(isMatching, mismatch)

/** Names by the rules that they can be changed by later. */
const { firstName, lastName } = ProfileChanges.shape

export const Registration = z
  .object({
    firstName,
    lastName,
    email: z.email('auth.rules.email'),
    username: Username,
    password: Password,
    confirmPassword: z.string(),
    hasAccepted: z.boolean().refine((accepted) => accepted, 'auth.rules.terms'),
  })
  .refine(isMatching, mismatch)
