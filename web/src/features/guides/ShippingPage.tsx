import { paths } from '../../paths.ts'
import { GuidePage } from './GuidePage.tsx'
import type { Guide } from './guide.ts'

const guide: Guide = {
  title: 'Shipping Guidelines',
  intro: 'A bottle that arrives whole is half a good review.',
  sections: [
    {
      id: 'agree',
      title: 'Agree first',
      paragraphs: [
        'Buyer and seller settle in chat how the perfume travels, what that costs, who pays for it and by when it is sent. Meeting in person is fine, too: choose a public place.',
      ],
    },
    {
      id: 'pack',
      title: 'Pack it well',
      paragraphs: ['Perfume is glass and alcohol. Pack it as if it were dropped once, for it will be.'],
      points: [
        'Lock or tape the atomiser, and put the bottle into a sealed bag.',
        'Wrap it in two layers of bubble film, also when it has its box.',
        'Use a firm carton with at least three centimetres of filling on each side.',
        'Take a photograph before you close it.',
      ],
    },
    {
      id: 'carriers',
      title: 'Carriers and rules',
      paragraphs: [
        'Perfume counts as a flammable liquid. Within Peninsular Malaysia it travels by road with most couriers; to Sabah and Sarawak many take it only as surface mail, and none takes it undeclared by air. Ask your courier, and declare what is inside.',
      ],
    },
    {
      id: 'track',
      title: 'Track it',
      paragraphs: [
        'Send with tracking, and share the number in the chat on the same day. The buyer confirms the delivery there when the parcel has arrived.',
      ],
    },
    {
      id: 'broken',
      title: 'If it arrives broken',
      paragraphs: [
        'Take photographs of the parcel, the packing and the bottle at once, and send them in the chat. Whoever booked the carrier claims the damage there.',
      ],
      links: [{ to: paths.returnPolicy(), label: 'Return Policy' }],
    },
  ],
}

export default function ShippingPage() {
  return <GuidePage guide={guide} />
}
