import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { useEffect } from 'react'
import { sentenceInPageLanguage } from '../../i18n/in-page-language.ts'
import type { Translate } from '../../i18n/translate.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useLiveSocket, useLiveStatus } from '../../live/use-live-socket.ts'
import { showToast, type ToastMessage } from '../../ui/toast-store.ts'

/** The first connection and three tries more. */
const failuresMax = 4
/** A flood of refusals is told once in so long. */
const toldAgainAfterMs = 10_000

/** Tells whoever is on the messages page what is wrong with the channel. */
export function useSocketTrouble(): void {
  useConnectionTrouble()
  useSignInTrouble()
  useRefusals()
}

export function logInAgainToast(t: Translate): ToastMessage {
  return { title: t('messages.signInTitle'), description: t('messages.signInAgain'), tone: 'destructive' }
}

/** Says that no connection comes about, and lets it be tried again; meanwhile it is tried on all the same. */
function useConnectionTrouble(): void {
  const { t } = useTranslation()
  const socket = useLiveSocket()
  const { failures, standing } = useLiveStatus()
  // The server closes the connection on whoever it refuses: trying again would not help them.
  const isGivenUp = failures >= failuresMax && standing !== 'refused'
  useEffect(() => {
    if (!isGivenUp) return
    showToast({
      title: t('messages.connectionTitle'),
      description: t('messages.connectionLost'),
      tone: 'destructive',
      action: { label: t('messages.tryAgain'), onAct: () => socket.retry() },
    })
  }, [isGivenUp, socket, t])
}

/** Says that the server takes no token of this session. */
function useSignInTrouble(): void {
  const { t } = useTranslation()
  const isRefused = useLiveStatus().standing === 'refused'
  useEffect(() => {
    if (isRefused) showToast(logInAgainToast(t))
  }, [isRefused, t])
}

/** Says what the server refuses of the channel as a whole, such as a flood, or of what nobody waits for, such as that something was read. */
function useRefusals(): void {
  const { t } = useTranslation()
  const socket = useLiveSocket()
  useEffect(() => {
    let quietUntil = Number.NEGATIVE_INFINITY
    return socket.onFrame((frame) => {
      if (frame.type !== 'error' || isToldElsewhere(frame) || Date.now() < quietUntil) return
      quietUntil = Date.now() + toldAgainAfterMs
      const description = sentenceInPageLanguage(frame.message, frame.code)
      showToast({ title: t('messages.errorTitle'), description, tone: 'destructive' })
    })
  }, [socket, t])
}

/** A bid and an auction have pages of their own, a message shows its own refusal, and the session says who may be here at all. */
function isToldElsewhere({
  code,
  auctionId,
  bidId,
  clientMessageId,
}: Extract<ServerFrame, { type: 'error' }>): boolean {
  const isOfSession = code === 'invalid-token' || code === 'authentication-required' || code === 'account-suspended'
  return isOfSession || auctionId !== undefined || bidId !== undefined || clientMessageId !== undefined
}
