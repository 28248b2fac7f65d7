import { createHmac, timingSafeEqual } from 'node:crypto'

const SESSION_BYTES = 16
const NUMBER_BYTES = 4
const SIGNATURE_BYTES = 32
const TOKEN_BYTES = SESSION_BYTES + NUMBER_BYTES + SIGNATURE_BYTES
/** Base64url without padding. */
const TOKEN_LENGTH = Math.ceil((TOKEN_BYTES * 4) / 3)

export interface RefreshToken {
  readonly sessionId: string
  readonly number: number
  readonly signature: Buffer
}

/**
 * The refresh token with this number of a session: its id and number, signed. A token that was given out can be made
 * again, so none has to be stored, and which one was used says how old it is.
 */
export function refreshToken(session: {
  readonly id: string
  readonly refreshKey: string
  readonly refreshNumber: number
}): string {
  const head = tokenHead(session.id, session.refreshNumber)
  return Buffer.concat([head, sign(head, session.refreshKey)]).toString('base64url')
}

/** What a token says of itself, nothing of which is proven yet; `null` when it is no token at all. */
export function readRefreshToken(token: string): RefreshToken | null {
  if (token.length !== TOKEN_LENGTH || !/^[\w-]+$/.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== TOKEN_BYTES) return null
  const hex = bytes.toString('hex', 0, SESSION_BYTES)
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const signature = bytes.subarray(SESSION_BYTES + NUMBER_BYTES)
  return { sessionId, number: bytes.readUInt32BE(SESSION_BYTES), signature }
}

/** Whether the session itself gave this token out. */
export function isSignedBy(
  token: RefreshToken,
  session: { readonly id: string; readonly refreshKey: string },
): boolean {
  return timingSafeEqual(token.signature, sign(tokenHead(session.id, token.number), session.refreshKey))
}

function tokenHead(sessionId: string, number: number): Buffer {
  const head = Buffer.alloc(SESSION_BYTES + NUMBER_BYTES)
  head.write(sessionId.replaceAll('-', ''), 'hex')
  head.writeUInt32BE(number, SESSION_BYTES)
  return head
}

function sign(head: Buffer, key: string): Buffer {
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(head).digest()
}
