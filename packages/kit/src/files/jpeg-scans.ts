const MARK = 0xff
/** Of segments that have no length: the marks between the parts of a scan, the beginning, and a mark without meaning. */
const isBare = (type: number) => (type >= 0xd0 && type <= 0xd8) || type === 0x01
const SCAN = 0xda
const END = 0xd9

/**
 * How often a JPEG goes through its picture, which each scan makes a little finer. What stands in a segment, such as a preview, is none of it, and
 * neither is what comes behind the end.
 */
export function countJpegScans(bytes: Uint8Array): number {
  let scans = 0
  let at = bytes.indexOf(MARK)
  while (at >= 0 && at + 1 < bytes.length) {
    const type = bytes[at + 1] ?? END
    // What is in a scan has a 0 behind each such byte, and any number of them may stand before a mark.
    if (type === 0 || isBare(type)) at += 2
    else if (type === MARK) at += 1
    else {
      if (type === END) break
      if (type === SCAN) scans += 1
      at += 2 + ((bytes[at + 2] ?? 0) << 8) + (bytes[at + 3] ?? 0)
    }
    at = bytes.indexOf(MARK, at)
  }
  return scans
}
