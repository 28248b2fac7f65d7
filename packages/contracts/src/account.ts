import { z } from 'zod'
import { Password } from './credentials.ts'
import { CurrentUser } from './identity.ts'
import { IdParam, UserId } from './ids.ts'
import { languages } from './languages.ts'
import { imageRequest, imageUpload } from './pictures.ts'
import { route } from './route.ts'
import { isVisibleName, isVisibleText, unseenMessage } from './text.ts'

export const NAME_LENGTH_MAX = 100
export const ADDRESS_LENGTH_MAX = 500
export const SHOP_NAME_LENGTH_MAX = 50
export const LOCATION_LENGTH_MAX = 100
export const BIO_LENGTH_MAX = 500
export const EMAIL_LENGTH_MAX = 255

/** A text that may be taken back: with nothing in it, it is `null`. */
const text = (label: string, lengthMax: number, isVisible = isVisibleName) =>
  z
    .string()
    .trim()
    .max(lengthMax, `${label} must be ${lengthMax} characters or less`)
    .refine(isVisible, unseenMessage(label))
    .nullable()
    .transform((value) => (value === '' ? null : value))

/** An address in the form in which addresses are compared. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(EMAIL_LENGTH_MAX, 'Please enter a valid email address')
  .pipe(z.email('Please enter a valid email address'))

/** What people may change of themselves. What is left out stays as it is, everything else that is sent is dropped. */
export const ProfileChanges = z.object({
  firstName: text('First name', NAME_LENGTH_MAX).optional(),
  lastName: text('Last name', NAME_LENGTH_MAX).optional(),
  address: text('Address', ADDRESS_LENGTH_MAX, isVisibleText).optional(),
  shopName: text('Shop name', SHOP_NAME_LENGTH_MAX).optional(),
  location: text('Location', LOCATION_LENGTH_MAX).optional(),
  bio: text('Bio', BIO_LENGTH_MAX, isVisibleText).optional(),
  /** Another one than now needs `currentPassword`, and takes effect when the link in the mail to it is followed. */
  email: Email.optional(),
  currentPassword: z.string().max(1024).optional(),
  /** May be given and is then compared. */
  userId: UserId.optional(),
})
export type ProfileChanges = z.infer<typeof ProfileChanges>

const pictureUpload = {
  method: 'POST',
  access: 'signed-in',
  upload: imageUpload,
  answers: { 200: CurrentUser },
  refusals: ['forbidden', 'account-suspended', 'too-large', 'unsupported-type', 'rate-limited', 'unavailable'],
} as const

/** Which mails somebody wants of those that can be turned off; all, until they say otherwise. */
export const NotificationSettings = z
  .object({
    /** A listing was sold or reserved, or an auction ended without a buyer. */
    sales: z.boolean(),
    newReviews: z.boolean(),
    lowStock: z.boolean(),
  })
  .meta({ id: 'NotificationSettings' })
export type NotificationSettings = z.infer<typeof NotificationSettings>

const MailLanguage = z.object({ language: z.enum(languages) })

const Success = z.object({ success: z.literal(true) })

export const accountRoutes = {
  /** The answer is the same whether a new `email` belongs to somebody already or not. */
  updateUser: route({
    method: 'PATCH',
    path: '/api/user/:userId',
    access: 'signed-in',
    summary: 'Changes what somebody says of themselves',
    params: z.object({ userId: IdParam }),
    body: ProfileChanges,
    answers: { 200: CurrentUser },
    refusals: [
      'forbidden',
      'account-suspended',
      'wrong-password',
      'second-factor-required',
      'provider-managed',
      'rate-limited',
    ],
  }),
  changePassword: route({
    method: 'POST',
    path: '/api/user/change-password',
    access: 'signed-in',
    summary: 'Sets a new password, and ends all sessions but the one that asks',
    body: z.object({ currentPassword: z.string().max(1024), newPassword: Password }),
    answers: { 200: Success },
    refusals: ['account-suspended', 'wrong-password', 'second-factor-required', 'provider-managed', 'rate-limited'],
  }),
  /** From now on nobody sees them, they are signed out everywhere, and some days later nothing personal is left of them. */
  closeAccount: route({
    method: 'DELETE',
    path: '/api/user/:userId',
    access: 'signed-in',
    summary: 'Deletes the own account',
    params: z.object({ userId: IdParam }),
    /** Whoever has no password must have signed in a moment ago instead. */
    body: z.object({ currentPassword: z.string().max(1024).optional() }).optional(),
    answers: { 200: Success },
    refusals: [
      'forbidden',
      'wrong-password',
      'second-factor-required',
      'recent-sign-in-required',
      'last-administrator',
      'account-suspended',
      'rate-limited',
    ],
  }),
  getNotifications: route({
    method: 'GET',
    path: '/api/user/notifications',
    access: 'signed-in',
    summary: 'Which mails the caller wants',
    answers: { 200: NotificationSettings },
    refusals: ['account-suspended'],
  }),
  setNotifications: route({
    method: 'PUT',
    path: '/api/user/notifications',
    access: 'signed-in',
    summary: 'Says which mails the caller wants from now on',
    body: NotificationSettings,
    answers: { 200: NotificationSettings },
    refusals: ['account-suspended', 'rate-limited'],
  }),
  setLanguage: route({
    method: 'PUT',
    path: '/api/user/language',
    access: 'signed-in',
    summary: 'Says which language the caller reads: mails to them are in it',
    body: MailLanguage,
    answers: { 200: MailLanguage },
    refusals: ['account-suspended', 'rate-limited'],
  }),
  uploadAvatar: route({ ...pictureUpload, path: '/api/user/avatar', summary: 'Replaces the own picture' }),
  uploadCover: route({ ...pictureUpload, path: '/api/user/cover', summary: 'Replaces the own cover photo' }),
  /** `name` is a `profileImage` or `coverPhoto` of ours. */
  getProfileImage: route({
    method: 'GET',
    path: '/api/profile-images/:name',
    access: 'public',
    summary: "Somebody's picture or cover photo as WebP or JPEG",
    ...imageRequest,
    answers: { 200: z.file() },
    refusals: ['not-found'],
  }),
  updatePassword: route({
    method: 'POST',
    path: '/api/update-password',
    access: 'public',
    summary: 'Sets a new password with the token of a reset mail, once, and ends all sessions',
    body: z.object({ token: z.string().min(1).max(256), password: Password }),
    answers: { 200: Success },
    refusals: ['invalid-reset-token', 'second-factor-required', 'provider-managed', 'rate-limited'],
  }),
  /** Repeating it with the same token succeeds again, for programs follow the links in mails before people do. */
  verifyEmail: route({
    method: 'GET',
    path: '/api/verify-email',
    access: 'public',
    summary: 'Confirms an email address with what the link in a mail carries; never signs anybody in',
    query: z.object({ code: z.string().max(256).optional(), token: z.string().max(256).optional() }),
    answers: { 200: z.object({ requiresSignIn: z.literal(true) }) },
    refusals: ['invalid-verification-link', 'rate-limited'],
  }),
} as const
