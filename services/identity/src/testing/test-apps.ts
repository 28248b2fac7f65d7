import { stepAt, totpCode } from '../factors/totp.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code that an authenticator app shows. @param secretText as it is typed into the app */
export function codeOf(secretText: string, at: Date): string {
  return totpCode(secretBytes(secretText), stepAt(at))
}

export function secretBytes(secretText: string): Buffer {
  const bits = [...secretText].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
