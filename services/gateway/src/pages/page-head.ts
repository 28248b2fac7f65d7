import { createHash } from 'node:crypto'
import { categories, ImageName, type Product } from '@wangian/contracts/catalogue.ts'
import type { Language } from '@wangian/contracts/languages.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import type { Seller } from '@wangian/contracts/shop.ts'
import { guideNames, type PageWords, pageWords } from './page-words.ts'

/** What stands in the head of a page, for those who preview links and for search engines. */
export interface PageHead {
  readonly title: string
  readonly description: string
  readonly language: Language
  /** The page's own address, which names no language; `null` for one that is none and is not to be found. */
  readonly canonical: string | null
  readonly type?: 'website' | 'product' | 'profile'
  readonly image?: { readonly url: string; readonly alt: string; readonly widthPx?: number; readonly heightPx?: number }
  /** The path of the picture of ours that the page shows large and first. */
  readonly largePicture?: string | undefined
  /** The addresses that the page reads first, for everybody alike. */
  readonly reads?: readonly string[]
  /** Each is an object of schema.org. */
  readonly things?: readonly object[]
}

const SITE = 'Wangian'
const DESCRIPTION_LENGTH_MAX = 200
const WORD_LENGTH_MAX = 40
/** The width of the picture that a preview shows. */
const PREVIEW_WIDTH_PX = 960

/** Where a page is, and in which language. */
export interface Place {
  /** The site's own address. */
  readonly site: string
  readonly language: Language
}

export function homeHead({ site, language }: Place): PageHead {
  const words = pageWords[language]
  return {
    title: `${SITE} · ${words.tagline}`,
    description: words.about,
    language,
    canonical: `${site}/`,
    things: [
      {
        '@type': 'WebSite',
        name: SITE,
        url: `${site}/`,
        potentialAction: {
          '@type': 'SearchAction',
          target: `${site}/products?search={search_term_string}`,
          'query-input': 'required name=search_term_string',
        },
      },
    ],
  }
}

/** @param categoryId of the list; results of searches and filters are all shown under the list that they narrow */
export function productsHead({ site, language }: Place, categoryId: string | null): PageHead {
  const words = pageWords[language]
  const category = categories.find(({ id }) => String(id) === categoryId)
  const name = category === undefined ? words.allPerfumes : words.categories[category.id]
  const canonical = `${site}/products${category === undefined ? '' : `?category=${category.id}`}`
  const trail: Trail = [[words.perfumes, `${site}/products`]]
  if (category !== undefined) trail.push([name, canonical])
  return {
    title: `${name} · ${SITE}`,
    description: words.about,
    language,
    canonical,
    things: [breadcrumbs(site, trail)],
  }
}

/** @returns `null` for what is no page of text */
export function guideHead({ site, language }: Place, name: string): PageHead | null {
  const known = guideNames.find((each) => each === name)
  if (known === undefined) return null
  const [title, description] = pageWords[language].guides[known]
  const canonical = `${site}/${known}`
  return {
    title: `${title} · ${SITE}`,
    description,
    language,
    canonical,
    things: [breadcrumbs(site, [[title, canonical]])],
  }
}

export function productHead({ site, language }: Place, product: Product): PageHead {
  const words = pageWords[language]
  const { name, brand } = product
  const canonical = `${site}/products/${product.id}`
  return {
    title: `${name} · ${brand} · ${SITE}`,
    description: describe(product, words, formatRinggit(priceOf(product))),
    language,
    canonical,
    type: 'product',
    image: shareOf(site, product),
    largePicture: largePictureOf(product),
    things: [thingOf(site, product, canonical), breadcrumbs(site, trailTo(site, words, product, canonical))],
  }
}

/** @param auctionId the auction of the address, which may be an older one than the product's */
export function auctionHead({ site, language }: Place, product: Product, auctionId: number): PageHead {
  const words = pageWords[language]
  const { name, brand, auction } = product
  const canonical = `${site}/auctions/${auctionId}`
  const bid = auction?.id === auctionId ? (auction.currentBid ?? auction.startingPrice) : product.price
  const isBidOn = auction?.id === auctionId && auction.currentBid !== null
  const standing = (isBidOn ? words.currentBid : words.startingAt)(formatRinggit(bid))
  return {
    title: `${name} · ${brand} · ${SITE}`,
    description: describe(product, words, standing),
    language,
    canonical,
    type: 'product',
    image: shareOf(site, product),
    largePicture: largePictureOf(product),
    things: [thingOf(site, product, canonical), breadcrumbs(site, trailTo(site, words, product, canonical))],
  }
}

export function shopHead({ site, language }: Place, seller: Seller): PageHead {
  const { shopName, bio, location, productCount } = seller
  const canonical = `${site}/sellers/${seller.id}`
  const picture = pictureOf(site, 'profile-images', seller.profileImage)
  const offer = pageWords[language].forSale(productCount)
  return {
    title: `${shopName} · ${SITE}`,
    description: short(
      [`${shopName}${location === null ? '' : `, ${location}`}: ${offer}.`, bio].filter(Boolean).join(' '),
    ),
    language,
    canonical,
    type: 'profile',
    image: { url: picture ?? `${site}/placeholder.jpg`, alt: shopName },
    things: [
      {
        '@type': 'ProfilePage',
        url: canonical,
        dateCreated: seller.createdAt,
        mainEntity: {
          '@type': 'Person',
          '@id': canonical,
          name: shopName,
          alternateName: seller.username,
          identifier: String(seller.id),
          ...(bio !== null && { description: bio }),
          ...(picture !== null && { image: picture }),
          ...(location !== null && { homeLocation: { '@type': 'Place', name: location } }),
        },
      },
      breadcrumbs(site, [[shopName, canonical]]),
    ],
  }
}

export function missingHead({ language }: Place, what: keyof PageWords['missing']): PageHead {
  const words = pageWords[language]
  return { title: `${words.missing[what]} · ${SITE}`, description: words.about, language, canonical: null }
}

function thingOf(site: string, product: Product, url: string): object {
  const { auction, images, seller } = product
  const pictures = images.length > 0 ? images.map(({ imageUrl }) => imageUrl) : [product.imageUrl]
  const condition = `https://schema.org/${product.isNew ? 'New' : 'Used'}Condition`
  return {
    '@type': 'Product',
    '@id': url,
    name: product.name,
    brand: { '@type': 'Brand', name: product.brand },
    description: product.description,
    category: product.category,
    sku: String(product.id),
    image: pictures.map((picture) => previewOf(site, picture)),
    itemCondition: condition,
    ...(product.averageRating !== null && {
      aggregateRating: {
        '@type': 'AggregateRating',
        ratingValue: product.averageRating,
        reviewCount: product.reviewCount,
        worstRating: 0,
      },
    }),
    offers: {
      '@type': 'Offer',
      url,
      priceCurrency: 'MYR',
      price: priceOf(product).toFixed(2),
      ...(auction?.status === 'active' && { priceValidUntil: auction.endsAt }),
      itemCondition: condition,
      availability: `https://schema.org/${availabilityOf(product)}`,
      seller: { '@type': 'Person', name: seller.username ?? SITE, url: `${site}/sellers/${seller.id}` },
    },
  }
}

/** What somebody would pay now: in an auction that is what was bid last. */
function priceOf({ price, auction }: Product): number {
  return auction?.currentBid ?? auction?.startingPrice ?? price
}

function availabilityOf({ status, stockQuantity, auction }: Product): string {
  if (status === 'sold') return 'SoldOut'
  if (status === 'pending' || status === 'archived' || stockQuantity < 1) return 'OutOfStock'
  if (auction?.status === 'ended' || auction?.status === 'cancelled') return 'OutOfStock'
  return auction?.status === 'scheduled' ? 'PreOrder' : 'InStock'
}

type Trail = [name: string, url: string][]

function trailTo(site: string, words: PageWords, { categoryId, category, name }: Product, url: string): Trail {
  const known = categories.find(({ id }) => id === categoryId)
  return [
    [words.perfumes, `${site}/products`],
    [known === undefined ? category : words.categories[known.id], `${site}/products?category=${categoryId}`],
    [name, url],
  ]
}

function breadcrumbs(site: string, trail: Trail): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: [[SITE, `${site}/`], ...trail].map(([name, item], index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item,
    })),
  }
}

function describe(
  { brand, name, volume, remainingPercentage, description }: Product,
  words: PageWords,
  price: string,
): string {
  return short(`${brand} ${name}, ${volume} ml, ${words.full(remainingPercentage)}, ${price}. ${description}`)
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= DESCRIPTION_LENGTH_MAX) return line
  const cut = line.slice(0, DESCRIPTION_LENGTH_MAX)
  const space = cut.lastIndexOf(' ')
  // Not all languages part words by spaces: then it ends anywhere, but within no character.
  const whole =
    space < DESCRIPTION_LENGTH_MAX - WORD_LENGTH_MAX ? cut.replace(/[\uD800-\uDBFF]$/, '') : cut.slice(0, space)
  return `${whole} …`
}

/** As the page chooses it: the first in their order, else the listing's own. Elsewhere is not asked ahead. */
function largePictureOf({ images, imageUrl }: Product): string | undefined {
  const first = images.toSorted((one, other) => one.imageOrder - other.imageOrder)[0]?.imageUrl ?? imageUrl
  return first === null || !ImageName.safeParse(first).success ? undefined : `/api/images/${first}`
}

/**
 * What stands for a product where its address is shared: drawn by catalogue, with the name, the price, the bottle and whether it is sold. A photo that is
 * elsewhere is never fetched, and stands for itself. The address changes with what is drawn, for those who keep previews.
 */
function shareOf(site: string, product: Product): NonNullable<PageHead['image']> {
  const { id, brand, name, imageUrl, status, remainingPercentage, volume, auction } = product
  const alt = `${brand} ${name}`
  if (imageUrl !== null && /^https?:/i.test(imageUrl)) return { url: imageUrl, alt }
  const facts = [remainingPercentage, volume, auction && auction.currentBid === null]
  const drawn = JSON.stringify([brand, name, imageUrl, status, priceOf(product), facts])
  const version = createHash('sha256').update(drawn).digest('base64url').slice(0, 10)
  return { url: `${site}/api/products/${id}/share.jpg?v=${version}`, alt, widthPx: 1200, heightPx: 630 }
}

const previewOf = (site: string, imageUrl: string | null) =>
  pictureOf(site, 'images', imageUrl) ?? `${site}/placeholder.jpg`

/** An address elsewhere stays as it is; a picture of ours as JPEG, which everybody can show. */
function pictureOf(site: string, kind: 'images' | 'profile-images', imageUrl: string | null): string | null {
  if (imageUrl === null || /^https?:/i.test(imageUrl)) return imageUrl
  return `${site}/api/${kind}/${encodeURIComponent(imageUrl)}.jpg?w=${PREVIEW_WIDTH_PX}`
}
