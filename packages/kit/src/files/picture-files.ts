import { randomUUID } from 'node:crypto'
import { createGate, type Gate } from '../gate.ts'
import { invariant } from '../invariant.ts'
import type { ImageStorage } from './image-storage.ts'
import type { EncodedImage, ImageFormat } from './images.ts'

/** Two decoders keep two cores busy; each may need 160 MB for the largest picture that is let in. */
const DECODING_MAX = 2
const DECODING_WAITING_MAX = 64
/** What nobody waits for is made one after the other. What finds no room is asked for again. */
const LATER_WAITING_MAX = 32
const FULL = 'full.webp'

export interface PictureFiles {
  /**
   * Encodes an upload anew and stores it.
   * @param willWrite hears of the storage key before there is a file, so that a crash cannot leave one that nobody knows
   * @throws Rejection as `encodeUpload` does
   */
  keep(
    bytes: Uint8Array,
    willWrite?: (storageKey: string, size: Omit<EncodedImage, 'bytes'>) => Promise<void>,
  ): Promise<{ readonly storageKey: string } & Omit<EncodedImage, 'bytes'>>
  /** A stored picture at most `widthPx` wide. Made when it is first asked for; `null` when the file is gone. */
  variant(storageKey: string, widthPx: number | null, format: ImageFormat): Promise<Buffer | null>
  /** The same where it is made already, else `null`: then it is made beside what others wait for, for whoever asks later. */
  variantIfMade(storageKey: string, widthPx: number | null, format: ImageFormat): Promise<Buffer | null>
  discard(storageKey: string): Promise<void>
}

/** Loaded with the first picture: until somebody has one, what decodes it would only hold memory and keep the start waiting. */
const images = () => import('./images.ts')

/** Pictures in a storage, each kept once in full and, as they are asked for, in the widths and formats that are served. */
export function createPictureFiles(storage: ImageStorage): PictureFiles {
  const gate = createGate({ runningMax: DECODING_MAX, waitingMax: DECODING_WAITING_MAX })
  const laterGate = createGate({ runningMax: 1, waitingMax: LATER_WAITING_MAX })
  const making = new Map<string, Promise<Buffer | null>>()

  /** Whoever asks for what is being made waits for the same. */
  function make(storageKey: string, widthPx: number | null, format: ImageFormat, by: Gate): Promise<Buffer | null> {
    const name = nameOf(widthPx, format)
    const key = `${storageKey}/${name}`
    const encode = async () => {
      const kept = await storage.read(storageKey, FULL)
      if (kept === null) return null
      const { encodeVariant } = await images()
      const bytes = await encodeVariant(kept, widthPx, format)
      await storage.write(storageKey, name, bytes)
      // To encode takes seconds: of what was discarded meanwhile nobody would remove this one any more.
      if ((await storage.read(storageKey, FULL)) === null) await storage.remove(storageKey)
      return bytes
    }
    const made = making.get(key) ?? by.run(encode).finally(() => making.delete(key))
    making.set(key, made)
    return made
  }

  return {
    async keep(upload, willWrite) {
      const { encodeUpload } = await images()
      const { bytes, ...size } = await gate.run(() => encodeUpload(upload))
      const storageKey = randomUUID()
      await willWrite?.(storageKey, size)
      await storage.write(storageKey, FULL, bytes)
      return { storageKey, ...size }
    },
    async variant(storageKey, widthPx, format) {
      const stored = await storage.read(storageKey, nameOf(widthPx, format))
      // A new listing is looked at by many at once: the first one has it made.
      return stored ?? make(storageKey, widthPx, format, gate)
    },
    async variantIfMade(storageKey, widthPx, format) {
      const stored = await storage.read(storageKey, nameOf(widthPx, format))
      if (stored === null) make(storageKey, widthPx, format, laterGate).catch(() => {})
      return stored
    },
    discard: (storageKey) => storage.remove(storageKey),
  }
}

function nameOf(widthPx: number | null, format: ImageFormat): string {
  invariant(widthPx === null || Number.isInteger(widthPx), 'a width is whole pixels')
  return `${widthPx ?? 'full'}.${format}`
}
