import { Password, Username } from '@wangian/contracts/identity.ts'
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

export const Registration = z
  .object({
    firstName: z.string().trim().max(80),
    lastName: z.string().trim().max(80),
    email: z.email('auth.rules.email'),
    username: Username,
    password: Password,
    confirmPassword: z.string(),
    hasAccepted: z.boolean().refine((accepted) => accepted, 'auth.rules.terms'),
  })
  .refine((form) => form.password === form.confirmPassword, {
    path: ['confirmPassword'],
    message: 'auth.rules.match',
    // Also while other fields are wrong, so that everything shows at once.
    when: ({ value }) => z.object({ password: z.string(), confirmPassword: z.string() }).safeParse(value).success,
  })
