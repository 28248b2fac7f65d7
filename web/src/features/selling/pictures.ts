import { IMAGES_PER_PRODUCT_MAX, type ProductImage } from '@wangian/contracts/catalogue.ts'
import { IMAGE_BYTES_MAX, imageMessages } from '@wangian/contracts/pictures.ts'

export const acceptedTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

/**
 * A picture of a form: one that the server has, or a file that it is to get. The key of a file is also the name that its
 * picture is registered under: made once, so that another try is known as the same picture.
 */
export type ListingPicture =
  | { readonly kind: 'kept'; readonly key: string; readonly imageId: number; readonly imageUrl: string }
  | { readonly kind: 'file'; readonly key: string; readonly file: File }

export type FilePicture = Extract<ListingPicture, { kind: 'file' }>

/** The pictures that a product has, in their order. */
export function keptPictures(images: readonly ProductImage[]): ListingPicture[] {
  return images
    .toSorted((one, other) => one.imageOrder - other.imageOrder)
    .map(({ id, imageUrl }) => ({ kind: 'kept', key: `image-${id}`, imageId: id, imageUrl }))
}

/** What becomes of files that somebody has chosen: the pictures with those that fit, and why others are refused. */
export function withFiles(
  pictures: readonly ListingPicture[],
  files: readonly File[],
  newKey: () => string = () => crypto.randomUUID(),
): { pictures: readonly ListingPicture[]; added: readonly FilePicture[]; problem: PictureProblem | null } {
  const fitting = files.filter((file) => problemOf(file) === null)
  const room = Math.max(0, IMAGES_PER_PRODUCT_MAX - pictures.length)
  const added = fitting.slice(0, room).map((file): FilePicture => ({ kind: 'file', key: newKey(), file }))
  const refused = files.map(problemOf).find((problem) => problem !== null)
  return {
    pictures: [...pictures, ...added],
    added,
    problem: refused ?? (fitting.length > room ? 'full' : null),
  }
}

/** The files among pictures, for another listing: one that a server has belongs to the listing that it was sent for. */
export function withNewKeys(
  pictures: readonly ListingPicture[],
  newKey: () => string = () => crypto.randomUUID(),
): readonly FilePicture[] {
  return pictures.flatMap((picture) => (picture.kind === 'file' ? [{ ...picture, key: newKey() }] : []))
}

/** Why a file is refused: the words of the contract, or `full`. */
export type PictureProblem = 'full' | (typeof imageMessages)['wrongType' | 'tooLarge']

function problemOf(file: File): PictureProblem | null {
  if (!acceptedTypes.some((type) => type === file.type)) return imageMessages.wrongType
  return file.size > IMAGE_BYTES_MAX ? imageMessages.tooLarge : null
}

/** Puts the picture at `from` in the place `to`; a place that there is not is the nearest one. */
export function withMoved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from]
  if (item === undefined) return items
  const others = items.toSpliced(from, 1)
  return others.toSpliced(Math.min(Math.max(to, 0), others.length), 0, item)
}
