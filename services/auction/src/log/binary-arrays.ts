/**
 * One-dimensional arrays of Postgres in its binary format, in which `pg` sends a `Buffer`. Of an array that is written as text the server takes
 * apart, unescapes and reads each element, which is a sixth of what a batch of bids costs it. An array begins with the number of its
 * dimensions, whether it has nulls, the object id of the elements' type, its length and its lower bound; each element follows its size, which is -1
 * for a null. All of these have 32 bits, the highest first (`array_recv` in `src/backend/utils/adt/arrayfuncs.c` of PostgreSQL).
 */

/** A type of elements: its object id, and how one is written. */
interface ElementType<Element> {
  readonly oid: number
  /** How many bytes it takes at most. */
  sizeMax(element: Element): number
  /** Writes it where it begins, and gives its size. Throws a `RangeError` or a `TypeError` for what is none. */
  write(buffer: Buffer, start: number, element: Element): number
}

const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const NULL_LENGTH = -1
/** A unit of UTF-16 has up to three bytes in UTF-8. */
const BYTES_PER_UNIT = 3
const UUID_BYTES = 16
const UUID_DIGITS = 32
const HIGH_WORD = 2 ** 32
const JSONB_VERSION = 1

const int2: ElementType<number> = {
  oid: 21,
  sizeMax: () => 2,
  write: (buffer, start, element) => buffer.writeInt16BE(element, start) - start,
}

const int4: ElementType<number> = {
  oid: 23,
  sizeMax: () => 4,
  write: (buffer, start, element) => buffer.writeInt32BE(element, start) - start,
}

const int8: ElementType<number> = {
  oid: 20,
  sizeMax: () => 8,
  write(buffer, start, element) {
    if (!Number.isSafeInteger(element)) throw new RangeError(`${element} is no whole number that is exact`)
    const high = Math.floor(element / HIGH_WORD)
    buffer.writeInt32BE(high, start)
    return buffer.writeUInt32BE(element - high * HIGH_WORD, start + 4) - start
  },
}

const text: ElementType<string> = {
  oid: 25,
  sizeMax: (element) => element.length * BYTES_PER_UNIT,
  write: (buffer, start, element) => buffer.write(element, start),
}

/** Its text. */
const json: ElementType<string> = { ...text, oid: 114 }

/** Its text, behind the version of the format. */
const jsonb: ElementType<string> = {
  oid: 3802,
  sizeMax: (element) => 1 + text.sizeMax(element),
  write: (buffer, start, element) => text.write(buffer, buffer.writeUInt8(JSONB_VERSION, start), element) + 1,
}

const uuid: ElementType<string> = {
  oid: 2950,
  sizeMax: () => UUID_BYTES,
  write(buffer, start, element) {
    let digits = 0
    let high = 0
    for (let index = 0; index < element.length; index++) {
      const code = element.charCodeAt(index)
      if (code === HYPHEN) continue
      const digit = digitOf(code)
      if (digit < 0 || digits === UUID_DIGITS) throw new TypeError(`${element} is no UUID`)
      if (digits % 2 === 0) high = digit << 4
      else buffer[start + (digits >> 1)] = high | digit
      digits++
    }
    if (digits !== UUID_DIGITS) throw new TypeError(`${element} is no UUID`)
    return UUID_BYTES
  },
}

const HYPHEN = 0x2d

/** Of a hexadecimal digit's character, -1 for any other. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

const types = { int2, int4, int8, text, json, jsonb, uuid } as const

type Elements = {
  readonly [Name in keyof typeof types]: (typeof types)[Name] extends ElementType<infer Element> ? Element : never
}

/** @throws `RangeError` or `TypeError` for an element that is none of its type */
export function binaryArray<Name extends keyof Elements>(
  name: Name,
  elements: readonly (Elements[Name] | null)[],
): Buffer {
  const type: ElementType<Elements[Name]> = types[name] as ElementType<Elements[Name]>
  let bytesMax = HEADER_BYTES
  for (const element of elements) bytesMax += LENGTH_BYTES + (element === null ? 0 : type.sizeMax(element))
  const buffer = Buffer.allocUnsafe(bytesMax)
  let hasNulls = 0
  let end = HEADER_BYTES
  for (const element of elements) {
    const start = end + LENGTH_BYTES
    if (element === null) {
      hasNulls = 1
      end = buffer.writeInt32BE(NULL_LENGTH, end)
    } else {
      const size = type.write(buffer, start, element)
      buffer.writeInt32BE(size, end)
      end = start + size
    }
  }
  // An empty one has no dimension.
  buffer.writeInt32BE(elements.length === 0 ? 0 : 1, 0)
  buffer.writeInt32BE(hasNulls, 4)
  buffer.writeInt32BE(type.oid, 8)
  if (elements.length === 0) return buffer.subarray(0, 12)
  buffer.writeInt32BE(elements.length, 12)
  buffer.writeInt32BE(1, 16)
  return buffer.subarray(0, end)
}
