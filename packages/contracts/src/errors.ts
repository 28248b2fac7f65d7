import { z } from 'zod'
import { ownErrors } from './received-error.ts'

/**
 * The closed set of error codes with the HTTP status of each and the sentence a person sees when nothing better is known.
 * The core knows codes only; the status is chosen here, at the edge.
 */
export const errorCatalogue = {
  ...ownErrors,
  'unknown-push-service': { status: 400, message: 'This browser is told by a service that we do not know.' },
  'invalid-package': { status: 400, message: 'Invalid package' },
  'no-products-selected': { status: 400, message: 'No products selected' },
  'product-count-mismatch': { status: 400, message: 'Product count mismatch' },
  'payment-mismatch': { status: 400, message: 'This payment is not as it was asked for.' },
  'invalid-amount': { status: 400, message: 'Please enter a valid number.' },
  'bid-too-low': { status: 409, message: 'Your bid is too low.' },
  blocked: { status: 403, message: 'This person cannot be messaged.' },
  'own-report': { status: 400, message: 'You cannot report what is your own.' },
  'own-message': { status: 403, message: 'Cannot Message Yourself' },
  'action-not-allowed': { status: 403, message: 'Action Not Allowed' },
  'own-listing': { status: 403, message: 'Cannot Bid on Your Own Listing' },
  'authentication-required': { status: 401, message: 'Authentication required' },
  'invalid-token': { status: 401, message: 'Invalid token' },
  'invalid-session': { status: 401, message: 'Invalid session' },
  'invalid-signature': { status: 401, message: 'Invalid signature' },
  'invalid-reset-token': { status: 400, message: 'Invalid or expired token' },
  'invalid-verification-link': { status: 400, message: 'Invalid verification link or missing parameters' },
  'wrong-password': { status: 400, message: 'current password is incorrect' },
  'second-factor-required': { status: 403, message: 'Second factor required' },
  'email-not-verified': { status: 403, message: 'Email not confirmed' },
  'recent-sign-in-required': { status: 403, message: 'Please sign in again to do this.' },
  forbidden: { status: 403, message: 'You are not allowed to do this.' },
  'identity-mismatch': { status: 403, message: 'Identity mismatch' },
  'seller-account-required': { status: 403, message: 'Seller Account Required' },
  'admin-access-required': { status: 403, message: 'Admin Access Required' },
  'not-found': { status: 404, message: 'Not found' },
  'auction-not-found': { status: 404, message: 'Auction not found' },
  'product-not-found': { status: 404, message: 'Product not found' },
  'seller-not-found': { status: 404, message: 'Seller not found' },
  'user-not-found': { status: 404, message: 'User not found' },
  'message-not-found': { status: 404, message: 'Message not found' },
  'review-not-found': { status: 404, message: 'Review not found' },
  'transaction-not-found': { status: 404, message: 'Transaction not found' },
  'order-not-found': { status: 404, message: 'Order not found' },
  'case-not-found': { status: 404, message: 'Case not found' },
  'username-not-found': { status: 404, message: 'Username not found' },
  'method-not-allowed': { status: 405, message: 'Method not allowed' },
  'account-exists': { status: 409, message: 'Account exists, sign in to link' },
  'provider-managed': {
    status: 409,
    message:
      'The sign-in service keeps your password and your email address. Please change them in your account settings, or with “Forgot password?” on the sign-in page.',
  },
  conflict: { status: 409, message: 'This was changed by somebody else. Please reload and try again.' },
  'last-administrator': { status: 409, message: 'The last administrator cannot leave.' },
  'auction-exists': { status: 409, message: 'This product already has an auction' },
  'auction-has-bids': { status: 409, message: 'Auction already has bids' },
  'auction-not-started': { status: 409, message: 'This auction has not started' },
  'auction-paused': { status: 409, message: 'This auction is paused and takes no bids at the moment.' },
  'auction-ended': { status: 409, message: 'This auction has ended' },
  'images-full': { status: 409, message: 'Maximum 5 images per product' },
  'product-reserved': { status: 409, message: 'This product is reserved for somebody else' },
  'product-sold': { status: 409, message: 'This product is sold' },
  'deal-open': { status: 409, message: 'This buyer has an open transaction for this product.' },
  'deal-cancelled': { status: 409, message: 'This transaction was cancelled.' },
  'deal-paid': { status: 409, message: 'This transaction is paid and cannot be cancelled.' },
  'deal-out-of-order': { status: 409, message: 'Another step comes first.' },
  'order-move': { status: 409, message: 'This order cannot be moved like that.' },
  'report-exists': { status: 409, message: 'You have reported this already.' },
  'review-exists': { status: 409, message: 'Review already submitted' },
  'boost-pending': { status: 409, message: 'This product is in an order that waits for its payment.' },
  'boost-paid': { status: 409, message: 'This order is paid.' },
  'boost-closed': { status: 409, message: 'This order can no longer be paid.' },
  'case-closed': { status: 409, message: 'Another product can no longer be chosen here.' },
  'case-refunded': { status: 409, message: 'This was paid back already.' },
  'case-spent': { status: 409, message: 'Another product was chosen for this, so it is not paid back.' },
  'watches-full': { status: 409, message: 'You cannot watch any more auctions' },
  'favorites-full': { status: 409, message: 'You cannot keep any more favourites' },
  'image-already-uploaded': { status: 409, message: 'This image was uploaded already' },
  'user-gone': { status: 410, message: 'This person has deleted their account and can no longer be messaged.' },
  'too-large': { status: 413, message: 'The request is too large.' },
  'unsupported-type': { status: 415, message: 'This content type is not supported.' },
  'range-not-satisfiable': { status: 416, message: 'The file has no such part.' },
  'rate-limited': { status: 429, message: 'Too many requests' },
  busy: { status: 503, message: 'The auction is very busy. Please try again.' },
  'payment-not-configured': { status: 503, message: 'Payment is not configured.' },
  'push-not-configured': { status: 503, message: 'Notices cannot be sent to browsers here.' },
  'outcome-unknown': {
    status: 503,
    message: 'We could not confirm whether your bid was placed. Please check the bid history before you try again.',
  },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errorCatalogue

export const errorCodes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]

/** The body of every failed HTTP answer. `message` is fit to be shown to a person. */
export const ErrorBody = z
  .object({
    message: z.string(),
    code: z.enum(errorCodes),
    requestId: z.string(),
    details: z.unknown().optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>

export function statusOf(code: ErrorCode): number {
  return errorCatalogue[code].status
}
