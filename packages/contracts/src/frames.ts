import { z } from 'zod'
import { auctionClientFrames, auctionServerFrames } from './auction-frames.ts'
import { errorCodes } from './errors.ts'
import { AuctionId, RequestKey, UserId } from './ids.ts'
import { messagingClientFrames, messagingServerFrames } from './messaging-frames.ts'
import { noticeServerFrames } from './notices.ts'
import { Instant } from './time.ts'

/** A frame may not be larger than this, in bytes; larger ones close the socket with 1009. */
export const FRAME_MAX_BYTES = 16 * 1024

/** What a socket may send: one serves the auctions and the messages of a browser's tab. Unknown keys are dropped. */
export const clientFrames = {
  auth: z.object({ type: z.literal('auth'), token: z.string().max(8192) }),
  ...auctionClientFrames,
  ...messagingClientFrames,
} as const

/** What the server sends. */
export const serverFrames = {
  connected: z.object({ type: z.literal('connected'), serverTime: Instant }),
  auth_success: z.object({ type: z.literal('auth_success'), userId: UserId }),
  ...auctionServerFrames,
  ...messagingServerFrames,
  ...noticeServerFrames,
  error: z.object({
    type: z.literal('error'),
    message: z.string(),
    code: z.enum(errorCodes),
    auctionId: AuctionId.optional(),
    bidId: RequestKey.optional(),
    minimum: z.number().positive().optional(),
    /** Of the message that was not sent. */
    clientMessageId: RequestKey.optional(),
    /** With whom the conversation is that was asked for. */
    userId: UserId.optional(),
  }),
} as const

export const ServerFrame = z.discriminatedUnion('type', [
  serverFrames.connected,
  serverFrames.auth_success,
  serverFrames.auctionJoined,
  serverFrames.newBid,
  serverFrames.newBids,
  serverFrames.auctionState,
  serverFrames.auctionEnded,
  serverFrames.auctionCancelled,
  serverFrames.bidAccepted,
  serverFrames.message_sent,
  serverFrames.new_message,
  serverFrames.messages_read,
  serverFrames.action_confirmed,
  serverFrames.conversation,
  serverFrames.unread_count,
  serverFrames.notice,
  serverFrames.notices_read,
  serverFrames.error,
])
export type ServerFrame = z.infer<typeof ServerFrame>

/** Why a socket was closed by the server, beyond the protocol's own codes. */
export const closeCodes = {
  policyViolation: 1008,
  tooLarge: 1009,
  restarting: 1012,
  tokenExpired: 4401,
  banned: 4403,
  tooSlow: 4408,
} as const
