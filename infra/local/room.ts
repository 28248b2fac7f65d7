import { statfsSync } from 'node:fs'

const BYTES_PER_MB = 1024 ** 2
/** A new data directory takes about 80 MB, and Postgres always needs room for its next piece of 16 MB. */
const ROOM_MIN_MB = 100

/** That the disk is nearly full, which no part that ends because of it says in so many words; `null` while it is not, or where nothing can be known. */
export function findLittleRoom(dataDir: string, bytesMin = ROOM_MIN_MB * BYTES_PER_MB): string | null {
  const free = freeBytes(dataDir)
  if (free === null || free >= bytesMin) return null
  return (
    `Only ${Math.floor(free / BYTES_PER_MB)} MB are left on the disk of ${dataDir} (DATA_DIR). ` +
    `A new one needs ${ROOM_MIN_MB} MB, and without room Postgres and NATS end, and do not start. Make room there.`
  )
}

function freeBytes(dataDir: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dataDir)
    return bavail * bsize
  } catch {
    return null
  }
}
