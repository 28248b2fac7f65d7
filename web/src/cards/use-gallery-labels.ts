import { useTranslation } from '../lib/use-translation.ts'
import type { GalleryLabels } from '../ui/Gallery.tsx'

/** The words of a gallery of a product. */
export function useGalleryLabels(name: string, count: number): GalleryLabels {
  const { t } = useTranslation()
  return {
    name: t('product.pictures', { name }),
    picture: (number) => t('product.picture', { name, number, count }),
    show: (number) => t('product.showPicture', { number }),
    enlarge: t('product.enlarge', { name }),
    close: t('product.close'),
    previous: t('product.previousPicture'),
    next: t('product.nextPicture'),
    zoomIn: t('product.zoomIn'),
    zoomOut: t('product.zoomOut'),
    carousel: t('home.carousel'),
    slide: t('home.slide'),
    slideOf: t('home.slideOf', { number: '{index}', count: '{total}' }),
  }
}
