import { paths } from '../../paths.ts'
import { GuidePage } from './GuidePage.tsx'
import type { Guide } from './guide.ts'

const guide: Guide = {
  title: 'Authentication Guide',
  intro: 'No single sign proves that a perfume is genuine. Several that agree come close.',
  sections: [
    {
      id: 'batch-code',
      title: 'The batch code',
      paragraphs: [
        'Most houses print or engrave a code of a few letters and digits on the bottom of the bottle and of the box. The two must be the same. A code that is printed crookedly, rubs off, or is missing on one of them calls for a question.',
      ],
    },
    {
      id: 'box',
      title: 'Box and cellophane',
      paragraphs: [
        'Genuine boxes have sharp print, even edges and firm card. Cellophane is tight, with neat folds and without glue at the corners. Spelling mistakes in the ingredients are a clear sign.',
      ],
    },
    {
      id: 'bottle',
      title: 'Bottle, cap and atomiser',
      points: [
        'Glass is clear, without bubbles or seams that can be felt.',
        'The cap sits firmly; magnetic ones turn themselves straight.',
        'The tube is thin, nearly invisible in the liquid, and just long enough.',
        'The spray is fine and even.',
      ],
      paragraphs: ['Ask for a photograph of each:'],
    },
    {
      id: 'liquid',
      title: 'The liquid',
      paragraphs: [
        'Colour may darken with the years, and vanilla turns many perfumes amber. Cloudiness, flakes, or a colour that is nothing like that of other bottles of the same batch speak against it.',
      ],
    },
    {
      id: 'price',
      title: 'Price and seller',
      paragraphs: [
        'A price far below that of others, a seller without reviews and a wish to pay outside of what was agreed rarely come together by chance. Proof of purchase settles a lot: ask for it.',
      ],
    },
    {
      id: 'doubt',
      title: 'When in doubt',
      paragraphs: ['Do not pay. Ask in the chat, compare with other listings, and tell us about counterfeits.'],
      links: [{ to: paths.terms(), label: 'What may not be listed' }],
    },
  ],
}

export default function AuthenticationGuidePage() {
  return <GuidePage guide={guide} />
}
