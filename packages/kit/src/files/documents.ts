import { unzipSync } from 'fflate'
import { fileTypeFromBuffer } from 'file-type'

export type DocumentFormat = 'pdf' | 'doc' | 'docx'

/** What a document of Word may hold, far above what people write and far below what fills a memory. */
const ENTRIES_MAX = 2_000
const UNPACKED_BYTES_MAX = 200 * 1024 * 1024
const RATIO_MAX = 200

const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const wordStream = utf16('WordDocument')
const macroStorage = utf16('_VBA_PROJECT')

/**
 * What kind of document this is, by what is in it and not by what it is called; `null` for everything that is none of ours, and for what
 * holds macros or would unpack to far more than it is.
 */
export async function documentFormat(bytes: Uint8Array): Promise<DocumentFormat | null> {
  const type = await fileTypeFromBuffer(bytes)
  switch (type?.mime) {
    case 'application/pdf':
      return 'pdf'
    case 'application/x-cfb': {
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      return content.includes(wordStream) && !content.includes(macroStorage) ? 'doc' : null
    }
    case 'application/vnd.openxmlformats-officedocument.wordprocessingml.document':
      return isHarmlessPackage(bytes) ? 'docx' : null
    default:
      return null
  }
}

/** Looks at the table of contents alone: nothing is unpacked. */
function isHarmlessPackage(bytes: Uint8Array): boolean {
  let entries = 0
  let unpackedBytes = 0
  let isHarmless = true
  try {
    unzipSync(bytes, {
      filter({ name, originalSize }) {
        entries += 1
        // However short a file is, its table may claim four billion of them, and every one would be looked for.
        if (entries > ENTRIES_MAX) throw new Error('too many entries')
        unpackedBytes += originalSize
        if (/vbaProject|\.exe$|\.js$|^\/|\.\.\//i.test(name)) isHarmless = false
        return false
      },
    })
  } catch {
    return false
  }
  const isBomb = unpackedBytes > UNPACKED_BYTES_MAX || unpackedBytes > bytes.length * RATIO_MAX
  return isHarmless && !isBomb && entries > 0
}
