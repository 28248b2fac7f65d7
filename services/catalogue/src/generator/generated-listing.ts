import type { ListingFacts } from '@wangian/contracts/events/catalogue.ts'

/*
 * A large catalogue to measure with: made-up bottles whose brands, prices and words are spread as unevenly as those of a real one. The same
 * number always gives the same listing.
 */

const houses = [
  ['Dior', 1],
  ['Chanel', 1],
  ['Givenchy', 1],
  ['Yves Saint Laurent', 1],
  ['Guerlain', 1],
  ['Prada', 1],
  ['Versace', 1],
  ['Burberry', 1],
  ['Hermès', 1],
  ['Armani', 1],
  ['Lancôme', 1],
  ['Tom Ford', 1],
  ['Gucci', 1],
  ['Valentino', 1],
  ['Bvlgari', 1],
  ['Montblanc', 1],
  ['Onde & Rasa', 2],
  ['Hutan Hujan', 2],
  ['Melati Studio', 2],
  ['Pasar Wangi', 2],
  ['Langkawi Mist', 2],
  ['Teh Tarik Parfum', 2],
  ['Lattafa', 3],
  ['Rasasi', 3],
  ['Ajmal', 3],
  ['Swiss Arabian', 3],
  ['Afnan', 3],
  ['Al Haramain', 3],
  ['Armaf', 3],
  ['Amouage', 3],
  ['Le Labo', 4],
  ['Byredo', 4],
  ['Diptyque', 4],
  ['Creed', 4],
  ['Xerjoff', 4],
  ['Mancera', 4],
  ['Montale', 4],
  ['Nishane', 4],
  ['Parfums de Marly', 4],
  ['Initio', 4],
  ['Memo Paris', 4],
  ['Zoologist', 4],
  ['Frédéric Malle', 4],
  ['Serge Lutens', 4],
] as const
const firsts = [
  'Noir',
  'Blanc',
  'Bleu',
  'Rose',
  'Oud',
  'Amber',
  'Santal',
  'Jasmin',
  'Iris',
  'Cuir',
  'Vanille',
  'Musc',
  'Néroli',
  'Tabac',
  'Vétiver',
]
const seconds = [
  'Absolu',
  'Intense',
  'Nuit',
  'de Soie',
  'Sauvage',
  'Extrême',
  'Impérial',
  'Royal',
  'Mystique',
  'du Désert',
  'Élixir',
  'Secret',
  '33',
]
const notes = [
  'bergamot',
  'cardamom',
  'cedar',
  'incense',
  'jasmine',
  'leather',
  'lemon',
  'musk',
  'oakmoss',
  'patchouli',
  'pepper',
  'rose',
  'saffron',
  'tonka',
  'vetiver',
]
const volumesMl = [30, 50, 75, 100, 125, 200]
const SELLERS = 200
const TWENTY_YEARS = 20
const NEWEST_AT_MS = Date.parse('2026-11-01T00:00:00.000Z')
const MINUTE_MS = 60_000

/** @param index counts from 0 among those that are made together; it also says how old the listing is */
export function generatedListing(productId: number, index: number, count: number): ListingFacts {
  const random = randomOf(productId)
  const pick = <Item>(items: readonly Item[], skew = 1): Item =>
    items[Math.floor(random() ** skew * items.length)] as Item
  const [brand, categoryId] = pick(houses, 2)
  const name = `${pick(firsts)} ${pick(seconds)}`
  const listingType = pick(['fixed', 'fixed', 'fixed', 'negotiable'] as const)
  return {
    productId,
    sellerId: 1 + Math.floor(random() * SELLERS),
    name,
    brand,
    description: `${name} by ${brand}: ${pick(notes)}, ${pick(notes)} and ${pick(notes)}. Kept in the dark, sprayed now and then.`,
    priceSen: 1000 * (4 + Math.floor(random() ** 3 * 200)) + 500 * Math.floor(random() * 2),
    categoryId,
    listingType,
    stockQuantity: 1 + Math.floor(random() ** 4 * 5),
    remainingPercentage: 5 + Math.floor(random() * 96),
    batchCode: null,
    purchaseYear: 2026 - Math.floor(random() * TWENTY_YEARS),
    boxCondition: pick(['Good', 'Damaged', 'No Box'] as const, 2),
    volumeMl: pick(volumesMl),
    isNew: random() < 0.1,
    imageUrl: null,
    createdAt: new Date(NEWEST_AT_MS - (count - index) * MINUTE_MS).toISOString(),
  }
}

/** Numbers from 0 to below 1 (mulberry32, by Tommy Ettinger; in the public domain). */
function randomOf(seed: number): () => number {
  let state = (seed * 0x9e3779b1) | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
