import type { PushTopic } from '@wangian/contracts/push.ts'
import { readStored, writeStored } from '../lib/browser-storage.ts'

const deviceKey = 'wangian-push'

/** Whose notices are pushed to this browser, and which. */
export interface Device {
  readonly userId: number
  readonly topics: readonly PushTopic[]
}

/** `null` where nothing is pushed. */
export function storedDevice(): Device | null {
  const stored = readStored('localStorage', deviceKey)
  if (stored === null) return null
  try {
    return JSON.parse(stored) as Device
  } catch {
    return null
  }
}

export function storeDevice(device: Device | null): void {
  writeStored('localStorage', deviceKey, device && JSON.stringify(device))
}
