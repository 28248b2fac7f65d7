import { paths } from '../../paths.ts'
import { GuidePage } from './GuidePage.tsx'
import type { Guide } from './guide.ts'

const guide: Guide = {
  title: 'About Us',
  intro: 'Wangian is Malay for fragrance. It is where bottles that deserve to be worn find somebody who wears them.',
  sections: [
    {
      id: 'why',
      title: 'Why we are here',
      paragraphs: [
        'A shelf of perfume is rarely emptied by the person who filled it. Tastes change, gifts miss, a hundred millilitres last for years. Meanwhile somebody in the next town looks for the very bottle, and cannot or does not want to pay what it costs new.',
        'We bring the two together: authentic pre-owned luxury perfumes at low prices, new ones besides, and independent perfumers from Malaysia and around.',
      ],
    },
    {
      id: 'how',
      title: 'How it works',
      paragraphs: [
        'People list bottles at a fixed price, at a price that can be talked about, or in a live auction. How full a bottle is stands on every card, because that is the first thing you would ask. Buyer and seller talk in chat and agree there.',
      ],
      links: [{ to: paths.buyingGuide(), label: 'The buying guide' }],
    },
    {
      id: 'trust',
      title: 'What we stand for',
      paragraphs: [],
      points: [
        'Condition first: what a listing shows is what arrives.',
        'Auctions that are fair: one clock, one order of bids, nobody in between.',
        'Your data is yours, and leaves with you.',
      ],
      links: [
        { to: paths.terms(), label: 'Terms of Service' },
        { to: paths.privacy(), label: 'Privacy Policy' },
      ],
    },
    {
      id: 'where',
      title: 'Where to find us',
      paragraphs: ['We are in Kuala Lumpur, Malaysia, and read every mail that is sent to the address below.'],
    },
  ],
}

export default function AboutPage() {
  return <GuidePage guide={guide} />
}
