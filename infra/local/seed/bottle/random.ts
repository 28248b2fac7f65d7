/** A source of numbers in [0, 1) that is the same for the same text on every machine. */
export type Random = () => number

/** Seeds by text (FNV-1a), draws by mulberry32: small, fast and even enough for drawings. */
export function randomFrom(seed: string): Random {
  let hash = 0x811c9dc5
  for (let index = 0; index < seed.length; index += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193)
  }
  let state = hash >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random()
}

export function pick<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0]
}
