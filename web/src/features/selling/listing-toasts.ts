import { shownMessage } from '../../api/api-error.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { ToastMessage } from '../../ui/toast-store.ts'
import type { Listing } from './listing-rules.ts'
import type { ListingKind } from './listing-values.ts'
import type { Doing } from './PublishDialog.tsx'
import { AnotherPersonError, type Failure, isSignedOut } from './publish.ts'

/** The product or its auction was refused, could not be reached or is gone, or whoever began is not signed in any more. */
export function refusedToast({ step, error }: Failure, wasNew: boolean, t: Translate): ToastMessage {
  if (error instanceof AnotherPersonError) {
    return {
      title: t('sell.toasts.anotherPerson'),
      description: t('sell.toasts.anotherPersonText'),
      tone: 'destructive',
    }
  }
  if (isSignedOut(error)) {
    return { title: t('sell.toasts.signedOut'), description: t('sell.toasts.signedOutText'), tone: 'destructive' }
  }
  const title =
    step.kind === 'auction'
      ? t(wasNew ? 'sell.toasts.createAuctionFailed' : 'sell.toasts.updateAuctionFailed')
      : t(wasNew ? 'sell.toasts.createProductFailed' : 'sell.toasts.updateProductFailed')
  return { title, description: shownMessage(error), tone: 'destructive' }
}

/** Everything is there but a picture. */
export function pictureToast({ step: { number }, stage, error }: Failure, t: Translate): ToastMessage {
  const title = t('sell.toasts.images')
  if (stage === null) return { title, description: shownMessage(error), tone: 'destructive' }
  const what = t(stage === 'register' ? 'sell.toasts.registerFailed' : 'sell.toasts.uploadFailed', { number })
  return { title, description: `${what}. ${shownMessage(error)}`, tone: 'destructive' }
}

export function listedToast(
  { product: { name }, auction }: Listing,
  { doing, kind }: { readonly doing: Doing; readonly kind: ListingKind },
  t: Translate,
): ToastMessage {
  if (doing === 'edit') {
    const title = t(kind === 'auction' ? 'sell.toasts.auctionUpdated' : 'sell.toasts.productUpdated')
    return { title, description: t('sell.toasts.updatedText', { name }) }
  }
  if (auction === null) {
    return { title: t('sell.toasts.productCreated'), description: t('sell.toasts.productCreatedText', { name }) }
  }
  const what = auction.startsAt ? 'sell.toasts.auctionScheduledText' : 'sell.toasts.auctionCreatedText'
  return { title: t('sell.toasts.auctionCreated'), description: t(what, { name }) }
}
