interface DemoSeller {
  readonly username: string
  readonly firstName: string
  readonly lastName: string
  readonly shopName: string
  readonly location: string
  readonly bio: string
}

export const DEMO_SELLER_PASSWORD = 'demo-seller'
export const DEMO_BUYER_PASSWORD = 'demo-buyer'
export const DEMO_ADMIN_PASSWORD = 'demo-admin'

export function demoEmail(username: string): string {
  return `${username}@wangian.test`
}

export const demoAdmin = { username: 'admin', firstName: 'Aminah', lastName: 'Yusof' } as const

/** The order is that of their ids. */
export const demoSellers: readonly DemoSeller[] = [
  {
    username: 'sarah',
    firstName: 'Sarah',
    lastName: 'Lim',
    shopName: 'Sarah’s Scent Cabinet',
    location: 'Petaling Jaya, Selangor',
    bio: 'Ten years of collecting, one cabinet too small. Designer and niche bottles, kept in the dark and sold with honest fill levels.',
  },
  {
    username: 'hafiz',
    firstName: 'Hafiz',
    lastName: 'Rahman',
    shopName: 'Hafiz Attar & Oud',
    location: 'Kota Bharu, Kelantan',
    bio: 'Arabian houses, oud oils and bakhoor. Everything comes from my own shelf or straight from Dubai.',
  },
  {
    username: 'weiling',
    firstName: 'Wei Ling',
    lastName: 'Tan',
    shopName: 'Decant Lane',
    location: 'George Town, Penang',
    bio: 'Partial bottles for people who like to try before they marry. Batch codes on request.',
  },
  {
    username: 'kavitha',
    firstName: 'Kavitha',
    lastName: 'Subramaniam',
    shopName: 'Jasmine & Smoke',
    location: 'Ipoh, Perak',
    bio: 'White florals, incense and the odd discontinued treasure. I pack as if it were my own.',
  },
  {
    username: 'azlan',
    firstName: 'Azlan',
    lastName: 'Ismail',
    shopName: 'Azlan Aroma House',
    location: 'Shah Alam, Selangor',
    bio: 'Local perfumers deserve shelf space. New bottles from small Malaysian houses, sealed.',
  },
  {
    username: 'nurul',
    firstName: 'Nurul Huda',
    lastName: 'Abdullah',
    shopName: 'Wangi by Nurul',
    location: 'Johor Bahru, Johor',
    bio: 'Fresh, clean and office-safe. Usually replies within the hour, posts the same day.',
  },
  {
    username: 'jason',
    firstName: 'Jason',
    lastName: 'Wong',
    shopName: 'Borneo Bottle Exchange',
    location: 'Kuching, Sarawak',
    bio: 'Buying, selling and swapping niche since 2016. Ships to both sides of the sea.',
  },
  {
    username: 'faridah',
    firstName: 'Faridah',
    lastName: 'Othman',
    shopName: 'Faridah Vintage Parfum',
    location: 'Melaka',
    bio: 'Old formulas, glass stoppers and estate finds. Every bottle is tested before it is listed.',
  },
]

export const demoBuyers = [
  { username: 'bala', firstName: 'Bala', lastName: 'Krishnan' },
  { username: 'mei', firstName: 'Mei', lastName: 'Chong' },
] as const
