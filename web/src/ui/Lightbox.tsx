import 'yet-another-react-lightbox/styles.css'
import 'yet-another-react-lightbox/plugins/counter.css'
import Base from 'yet-another-react-lightbox'
import Counter from 'yet-another-react-lightbox/plugins/counter'
import Zoom from 'yet-another-react-lightbox/plugins/zoom'
import { largestImage } from '../lib/image-source.ts'

export interface LightboxLabels {
  /** What is shown, for all pictures together. */
  readonly name: string
  readonly picture: (number: number) => string
  readonly close: string
  readonly previous: string
  readonly next: string
  readonly zoomIn: string
  readonly zoomOut: string
  /** What it is called, and each picture in it. */
  readonly carousel: string
  readonly slide: string
  /** The place of a picture, with `{index}` and `{total}` for the numbers. */
  readonly slideOf: string
}

/** Pictures as large as the window: swiped or turned with the arrow keys, zoomed into, closed with Escape or by pulling one down. */
export function Lightbox({
  pictures,
  index,
  labels,
  onTurn,
  onClose,
}: {
  pictures: readonly string[]
  index: number
  labels: LightboxLabels
  onTurn: (index: number) => void
  onClose: () => void
}) {
  const isAlone = pictures.length === 1
  return (
    <Base
      open
      close={onClose}
      index={index}
      slides={pictures.map((picture, place) => ({ src: largestImage(picture), alt: labels.picture(place + 1) }))}
      plugins={isAlone ? [Zoom] : [Counter, Zoom]}
      on={{ view: ({ index: viewed }) => onTurn(viewed) }}
      labels={{
        Lightbox: labels.name,
        'Photo gallery': labels.name,
        Close: labels.close,
        Previous: labels.previous,
        Next: labels.next,
        'Zoom in': labels.zoomIn,
        'Zoom out': labels.zoomOut,
        Carousel: labels.carousel,
        Slide: labels.slide,
        '{index} of {total}': labels.slideOf,
      }}
      animation={{ fade: 180, swipe: 220 }}
      carousel={{ finite: true, padding: 16 }}
      controller={{ closeOnPullDown: true, closeOnBackdropClick: true }}
      zoom={{ maxZoomPixelRatio: 2, scrollToZoom: true }}
      styles={{ container: { backgroundColor: 'rgb(12 10 9 / 98%)' } }}
      {...(isAlone && { render: { buttonPrev: () => null, buttonNext: () => null } })}
    />
  )
}
