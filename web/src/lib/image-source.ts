import { IMAGE_WIDTHS_PX, pictureWidths } from '@wangian/contracts/pictures.ts'

/** What stands in where a listing has no picture, or one that does not load. */
export const placeholderImage = '/placeholder.jpg'

/** The address of a picture: listings hold an address, a path, or the name of an image of ours. */
export function imageSource(imageUrl: string | null | undefined): string {
  if (!imageUrl) return placeholderImage
  if (/^(https?:\/\/|\/)/i.test(imageUrl)) return imageUrl
  return `/api/images/${encodeURIComponent(imageUrl)}`
}

/** The address of somebody's picture or cover, `null` where there is none. */
export function profileImageSource(image: string | null | undefined): string | null {
  if (!image) return null
  return /^(https?:\/\/|\/)/.test(image) ? image : `/api/profile-images/${encodeURIComponent(image)}`
}

/** The widths that an image of ours comes in, as `srcset` wants them; nothing for an image from elsewhere. */
export function imageWidths(source: string): string | undefined {
  if (!source.startsWith('/api/images/')) return undefined
  return pictureWidths(source)
}

/** The largest one of an image of ours. */
export function largestImage(source: string): string {
  return source.startsWith('/api/images/') ? `${source}?w=${Math.max(...IMAGE_WIDTHS_PX)}` : source
}

interface Pictured {
  readonly imageUrl: string | null
  readonly images: readonly {
    readonly imageUrl: string
    readonly imageOrder: number
    readonly tint?: string | undefined
  }[]
}

/** A picture that can be shown: where it is, and the colour that it has before it is there. */
export interface ShownPicture {
  readonly src: string
  readonly tint?: string | undefined
}

/** All pictures of a listing, the main one first: the one with order 0, else the first, else the listing's own. */
export function picturesOf({ imageUrl, images }: Pictured): readonly [ShownPicture, ...ShownPicture[]] {
  const [main, ...others] = images
    .toSorted((a, b) => a.imageOrder - b.imageOrder)
    .map((image) => ({ src: imageSource(image.imageUrl), tint: image.tint }))
  return main ? [main, ...others] : [{ src: imageSource(imageUrl) }]
}
