import { paths } from '../../paths.ts'
import { GuidePage } from './GuidePage.tsx'
import type { Guide } from './guide.ts'

export const buyingGuide: Guide = {
  title: 'Buying Guide',
  intro: 'Five steps from looking to wearing, and what sellers have at hand.',
  sections: [
    {
      id: 'browse',
      title: 'Step 1: Browse',
      paragraphs: [
        'Look through the collection or search for a house, a name or a note. Filter by category, price and brand. The gauge on each bottle says how full it is; the listing says whether its price is fixed, negotiable, or found by auction.',
      ],
      links: [{ to: paths.products(), label: 'Browse perfumes' }],
    },
    {
      id: 'authenticity',
      title: 'Step 2: Check authenticity',
      paragraphs: [
        'Compare the batch code with the maker’s pattern, look at the photographs of cap, atomiser, label and box, and read what other buyers said of the seller. When something is missing, ask for another photograph.',
      ],
      links: [{ to: paths.authenticationGuide(), label: 'How to check a perfume' }],
    },
    {
      id: 'contact',
      title: 'Step 3: Contact the seller in chat',
      paragraphs: [
        'Use ‘Contact Seller’ on the listing. Ask what you want to know and agree on the price, the payment and the way it is sent. Keep the conversation on Wangian: it is your record of what was agreed.',
      ],
    },
    {
      id: 'complete',
      title: 'Step 4: Complete the transaction',
      paragraphs: [
        'The seller creates a transaction in the chat and picks the perfume that you want. Confirm the purchase, pay as agreed, and wait for the seller to confirm the payment. Check payment details and ask for proof of purchase before you pay.',
      ],
    },
    {
      id: 'confirm',
      title: 'Step 5: Confirm and rate',
      paragraphs: [
        'When the perfume has arrived, compare it with its listing, confirm the delivery in the chat and rate the seller. Your review helps whoever buys next.',
      ],
    },
    {
      id: 'seller-dashboard',
      title: 'For sellers: the dashboard',
      paragraphs: ['Whoever sells finds everything in the seller dashboard.'],
      points: [
        'View, edit and delete your listings, and list unsold perfumes again.',
        'Feature listings on the home page and in search results.',
        'Analytics: what your listings were viewed, saved, asked about and sold.',
      ],
      links: [{ to: paths.sellerDashboard(), label: 'Seller Dashboard' }],
    },
  ],
}

export default function BuyingGuidePage() {
  return <GuidePage guide={buyingGuide} />
}
