import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 20
const CODE_DIGITS = 6
const STEP_S = 30
/** Clocks of phones are not all right, and typing takes a while: the code before and the one after count, too. */
const STEPS_OFF_MAX = 1
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A secret as an authenticator app and we keep it (RFC 6238 with its defaults: SHA-1, six digits, 30 seconds). */
export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The code of a time step, see `stepAt`. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const offset = (hash.at(-1) ?? 0) & 15
  const number = (hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** CODE_DIGITS
  return String(number).padStart(CODE_DIGITS, '0')
}

/** How many steps it was after 1970. */
export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1000 / STEP_S)
}

/** The six digits that somebody typed, without blanks; `null` for what no app shows. */
export function readCode(typed: string): string | null {
  const digits = typed.replaceAll(/\s/g, '')
  return /^\d{6}$/.test(digits) ? digits : null
}

/**
 * Which step the code is of, of those that count now and come after `usedStep`; `null` for none.
 * @param code from `readCode`
 */
export function findStep(secret: Buffer, code: string, { now, usedStep }: { now: Date; usedStep: number }) {
  const current = stepAt(now)
  for (let step = Math.max(current - STEPS_OFF_MAX, usedStep + 1); step <= current + STEPS_OFF_MAX; step += 1) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code))) return step
  }
  return null
}

/** The secret as people type it into an app that cannot see the picture (RFC 4648, base32). */
export function secretText(secret: Buffer): string {
  const bits = [...secret].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** What the picture says to an app. */
export function totpUri(secret: Buffer, { issuer, email }: { issuer: string; email: string }): string {
  const label = [issuer, email].map(encodeURIComponent).join(':')
  const parameters = { secret: secretText(secret), issuer, algorithm: 'SHA1', digits: CODE_DIGITS, period: STEP_S }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `otpauth://totp/${label}?${query.join('&')}`
}
