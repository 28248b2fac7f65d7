import { paths } from '../../paths.ts'
import { GuidePage } from './GuidePage.tsx'
import type { Guide } from './guide.ts'

const guide: Guide = {
  title: 'Return Policy',
  intro: 'Sales are between people. This is what they can expect of each other.',
  sections: [
    {
      id: 'as-described',
      title: 'As described',
      paragraphs: [
        'A buyer may return a perfume that is not what the listing said: another scent or size, clearly less full than stated, damaged in a way that was not shown, or counterfeit. Say so in the chat within three days of the delivery, with photographs.',
      ],
    },
    {
      id: 'change-of-mind',
      title: 'Change of mind',
      paragraphs: [
        'Pre-owned perfumes are not returned because the scent turned out not to please, unless the seller agrees. Ask before you buy; many sellers are glad to describe how it wears.',
      ],
    },
    {
      id: 'auctions',
      title: 'Auctions',
      paragraphs: [
        'Bids are final and binding. What was said above about perfumes that are not as described holds for auctions, too.',
      ],
      links: [{ to: `${paths.terms()}#auctions`, label: 'The terms on auctions' }],
    },
    {
      id: 'how',
      title: 'How to return',
      paragraphs: [
        'Agree on it in the chat. The buyer sends the perfume back as it came, with tracking; the seller refunds the price and, when the perfume was not as described, what sending it cost both ways.',
      ],
    },
    {
      id: 'disagree',
      title: 'If you cannot agree',
      paragraphs: [
        'Write to us with the link to the listing. We look at the conversation and the photographs, and accounts that mislead others are closed. Escrow and buyer protection are coming soon.',
      ],
    },
  ],
}

export default function ReturnsPage() {
  return <GuidePage guide={guide} />
}
