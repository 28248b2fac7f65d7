import type { categories } from '@wangian/contracts/catalogue.ts'
import type { Language } from '@wangian/contracts/languages.ts'

/** What the heads of pages say; the pages themselves say the same (`web/src/i18n`). */
export interface PageWords {
  readonly tagline: string
  readonly about: string
  readonly perfumes: string
  readonly allPerfumes: string
  readonly categories: Readonly<Record<(typeof categories)[number]['id'], string>>
  /** Pages of text: what they are called, and the words that they begin with. */
  readonly guides: Readonly<Record<GuideName, readonly [title: string, description: string]>>
  readonly missing: Readonly<Record<'Page' | 'Product' | 'Auction' | 'Seller', string>>
  readonly full: (percentage: number) => string
  readonly currentBid: (amount: string) => string
  readonly startingAt: (amount: string) => string
  readonly forSale: (count: number) => string
}

/** The addresses of the pages of text, without the slash. */
export const guideNames = [
  'about',
  'authentication-guide',
  'buying-guide',
  'privacy-policy',
  'return-policy',
  'shipping-guidelines',
  'terms-of-service',
] as const
type GuideName = (typeof guideNames)[number]

export const pageWords: Readonly<Record<Language, PageWords>> = {
  en: {
    tagline: 'Your Premium Perfume Marketplace',
    about: 'Authentic pre-owned luxury perfumes in Malaysia, at a fixed price or by live auction.',
    perfumes: 'Perfumes',
    allPerfumes: 'All Perfumes',
    categories: { 1: 'Designer', 2: 'Local', 3: 'Arabian House', 4: 'Niche' },
    guides: {
      about: ['About Us', 'Where bottles that deserve to be worn find somebody who wears them.'],
      'authentication-guide': [
        'Authentication Guide',
        'No single sign proves that a perfume is genuine. Several that agree come close.',
      ],
      'buying-guide': ['Buying Guide', 'Five steps from looking to wearing, and what sellers have at hand.'],
      'privacy-policy': ['Privacy Policy', 'What we know about you, what for, and how you get rid of it.'],
      'return-policy': ['Return Policy', 'Sales are between people. This is what they can expect of each other.'],
      'shipping-guidelines': ['Shipping Guidelines', 'A bottle that arrives whole is half a good review.'],
      'terms-of-service': [
        'Terms of Service',
        'What you agree to when you use Wangian, in words that are meant to be read.',
      ],
    },
    missing: {
      Page: '404 Page Not Found',
      Product: 'Product Not Found',
      Auction: 'Auction Not Found',
      Seller: 'Seller Not Found',
    },
    full: (percentage) => `${percentage}% full`,
    currentBid: (amount) => `auction, current bid ${amount}`,
    startingAt: (amount) => `auction, starting at ${amount}`,
    forSale: (count) => `${count} ${count === 1 ? 'perfume' : 'perfumes'} for sale`,
  },
  ms: {
    tagline: 'Pasaran Minyak Wangi Premium Anda',
    about: 'Minyak wangi mewah terpakai yang tulen di Malaysia, pada harga tetap atau melalui lelongan langsung.',
    perfumes: 'Minyak Wangi',
    allPerfumes: 'Semua Minyak Wangi',
    categories: { 1: 'Pereka', 2: 'Tempatan', 3: 'Rumah Arab', 4: 'Niche' },
    guides: {
      about: ['Tentang Kami', 'Tempat botol yang layak dipakai menemui orang yang akan memakainya.'],
      'authentication-guide': [
        'Panduan Ketulenan',
        'Tiada satu tanda pun yang membuktikan minyak wangi itu tulen. Beberapa tanda yang sepadan hampir memadai.',
      ],
      'buying-guide': [
        'Panduan Membeli',
        'Lima langkah daripada melihat hingga memakai, dan apa yang ada untuk penjual.',
      ],
      'privacy-policy': [
        'Dasar Privasi',
        'Apa yang kami tahu tentang anda, untuk apa, dan bagaimana anda boleh memadamnya.',
      ],
      'return-policy': [
        'Dasar Pemulangan',
        'Jual beli berlaku antara individu. Inilah yang boleh mereka harapkan daripada satu sama lain.',
      ],
      'shipping-guidelines': [
        'Garis Panduan Penghantaran',
        'Botol yang sampai dengan selamat ialah separuh daripada ulasan yang baik.',
      ],
      'terms-of-service': [
        'Terma Perkhidmatan',
        'Apa yang anda persetujui apabila menggunakan Wangian, dalam kata-kata yang memang untuk dibaca.',
      ],
    },
    missing: {
      Page: '404 Halaman Tidak Ditemui',
      Product: 'Produk Tidak Ditemui',
      Auction: 'Lelongan Tidak Ditemui',
      Seller: 'Penjual Tidak Ditemui',
    },
    full: (percentage) => `${percentage}% penuh`,
    currentBid: (amount) => `lelongan, bida semasa ${amount}`,
    startingAt: (amount) => `lelongan, bermula pada ${amount}`,
    forSale: (count) => `${count} minyak wangi dijual`,
  },
}
