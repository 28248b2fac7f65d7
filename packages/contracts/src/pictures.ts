import { z } from 'zod'

/** An uploaded picture may weigh at most this much, in bytes. */
export const IMAGE_BYTES_MAX = 5 * 1024 * 1024
/** The widths a picture can be asked for with `?w=`, in pixels. Pictures are never enlarged. */
export const IMAGE_WIDTHS_PX = [160, 480, 720, 960, 1600] as const

/**
 * How wide the large picture of a product's page is shown, in the words of `sizes`. Whoever serves the page asks for that picture while
 * the page itself still loads, and must ask for the width that the page is going to show.
 */
export const LARGE_PICTURE_SIZES = '(min-width: 1200px) 620px, (min-width: 768px) 50vw, 100vw'

/** A picture of ours in all its widths, as `srcset` wants them. `path` is that of `getImage`, without a width. */
export function pictureWidths(path: string): string {
  return IMAGE_WIDTHS_PX.map((width) => `${path}?w=${width} ${width}w`).join(', ')
}

/** What the refusals of pictures say. */
export const imageMessages = {
  tooLarge: 'File too large: Please select an image smaller than 5MB',
  tooManyPixels: 'File too large: Please select an image of at most 40 megapixels',
  wrongType: 'Invalid file type: Please select an image file (JPEG, PNG, etc.)',
  quota: 'You have as many pictures as we keep for one seller. Delete listings that you do not need any more.',
} as const

/** The form in which a picture is uploaded, for `upload` of a route. */
export const imageUpload = { field: 'image', bytesMax: IMAGE_BYTES_MAX, tooLarge: imageMessages.tooLarge } as const

/**
 * The parts of a route that serves pictures. `name` comes with `.webp` (WebP), with `.jpg` (the same as JPEG), or without: in AVIF then where the
 * browser takes that and it is made already, else as WebP. `w` is one of {@link IMAGE_WIDTHS_PX}, and without it the picture comes as large as it is
 * kept. Whatever is not there, or no name, is 404.
 */
export const imageRequest = {
  params: z.object({ name: z.string() }),
  query: z.object({ w: z.enum(IMAGE_WIDTHS_PX.map(String) as ['160', '480', '720', '960', '1600']).optional() }),
}
