import { paths } from '../../paths.ts'
import { GuidePage } from './GuidePage.tsx'
import type { Guide } from './guide.ts'

export const terms: Guide = {
  title: 'Terms of Service',
  intro: 'What you agree to when you use Wangian, in words that are meant to be read.',
  updated: '14 April 2025',
  sections: [
    {
      id: 'overview',
      title: 'Overview',
      paragraphs: [
        'Wangian is a marketplace in Malaysia where people sell pre-owned and new perfumes to each other, at a fixed price, at a price they agree on, or by auction. We provide the place. The sale itself is a contract between the buyer and the seller, and we are not a party to it.',
        'By opening an account, listing a perfume, bidding or buying you accept these terms. If you do not accept them, please do not use Wangian.',
      ],
    },
    {
      id: 'user-duties',
      title: 'Your duties as a user',
      paragraphs: ['You must be at least 16 years old to use Wangian.'],
      points: [
        'Give true information about yourself and keep it up to date.',
        'Keep your password to yourself. What is done with your account counts as done by you.',
        'Use one account for yourself, and do not bid on your own listings or have others do it for you.',
        'Treat other people with respect, in listings, in bids and in chat.',
      ],
    },
    {
      id: 'listings',
      title: 'Listings',
      paragraphs: ['A listing must let a buyer who cannot smell or touch the bottle know what they will get.'],
      points: [
        'List only perfumes that you own, have in your hands and may sell.',
        'Use your own photographs of the very bottle that you sell.',
        'State the fill level, the batch code if there is one, the condition of the bottle and of the box truthfully.',
        'Say so when a bottle was refilled, decanted or damaged.',
        'We may remove a listing that breaks these rules, and we tell the seller why.',
      ],
    },
    {
      id: 'shipping',
      title: 'Shipping',
      paragraphs: [
        'Buyer and seller agree in chat how and when the perfume is handed over or sent, and who pays for it. The seller packs it so that it arrives whole, sends it within the agreed time and shares the tracking number. Perfume contains alcohol: the rules of the carrier for flammable goods apply.',
      ],
      links: [{ to: paths.shippingGuidelines(), label: 'Shipping Guidelines' }],
    },
    {
      id: 'auctions',
      title: 'Auctions',
      paragraphs: [
        'Bids are final and binding. A bid cannot be taken back, and the highest bid at the end of an auction obliges the bidder to buy at that price, provided that the reserve price was met where there is one. The clock of our servers decides when an auction ends.',
        'Payment is due within the payment window that the seller states in chat. Winners who do not pay may be suspended or banned. Sellers who refuse to sell at the winning price may be, too.',
      ],
    },
    {
      id: 'escrow',
      title: 'Escrow (coming soon)',
      paragraphs: [
        'Escrow and buyer protection are coming soon. Until then buyer and seller agree on the payment in chat, and pay each other directly. Check payment details, ask for proof of purchase, and never share personal or banking details off the platform.',
      ],
    },
    {
      id: 'liability',
      title: 'Liability',
      paragraphs: [
        'We do not own, inspect or ship the perfumes that are listed, and cannot promise that each listing is true or that each sale is completed. As far as the law allows, we are not liable for what a buyer or a seller does or fails to do, nor for loss that follows from it. Nothing in these terms limits rights that the law gives you and that cannot be given up.',
      ],
    },
    {
      id: 'prohibited-items',
      title: 'Prohibited items',
      paragraphs: ['These may not be listed, and accounts that list them may be closed:'],
      points: [
        'Counterfeit perfumes, and bottles refilled with something other than the label says.',
        'Hazardous goods, and perfumes that may not be sold in Malaysia.',
        'Spam: the same bottle listed many times, advertisements, and things that are no perfume.',
      ],
    },
    {
      id: 'termination',
      title: 'Termination',
      paragraphs: [
        'You may delete your account at any time in your account settings. We may suspend or close an account that breaks these terms or the law. Open purchases and binding bids remain to be honoured.',
      ],
    },
    {
      id: 'intellectual-property',
      title: 'Intellectual property',
      paragraphs: [
        'Your photographs and texts remain yours. You let us show them on Wangian, and where we tell people about your listing, for as long as the listing exists. The names and marks of perfume houses belong to their owners; we use them only to say what is being sold. The design and the software of Wangian belong to us.',
      ],
    },
    {
      id: 'changes',
      title: 'Changes',
      paragraphs: [
        'We may change these terms. The date at the top says when that last happened, and changes that matter are announced before they take effect. Whoever uses Wangian afterwards accepts them.',
      ],
    },
  ],
}

/** The terms that people accept when they register. */
export default function TermsPage() {
  return <GuidePage guide={terms} isOrdered />
}
