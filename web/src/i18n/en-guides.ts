import { paths } from '../paths.ts'
import type { Guides } from './guides.ts'

/** The English pages of text. */
export const guides = {
  about: {
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
  },
  authenticity: {
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
  },
  buying: {
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
  },
  privacy: {
    title: 'Privacy Policy',
    intro: 'What we know about you, what for, and how you get rid of it.',
    updated: '2025-04-26',
    sections: [
      {
        id: 'data',
        title: 'The data we collect',
        paragraphs: ['We keep what the marketplace needs to work, and nothing for the sake of having it.'],
        points: [
          'Your account: username, e-mail address, name, and your address if you give one.',
          'What you show of yourself: shop name, location, a text about you, your pictures.',
          'What you do: listings, bids, favourites, messages and the files in them, purchases and reviews.',
          'What machines say when they connect: network address, browser, time.',
        ],
      },
      {
        id: 'use',
        title: 'How we use it',
        paragraphs: ['We use your data to run the marketplace:'],
        points: [
          'to sign you in and keep your account safe,',
          'to show your listings and your bids to others, under your username,',
          'to send you mails that you need, and those notices that you have switched on,',
          'to find and stop abuse, and to understand which parts of Wangian are used.',
        ],
      },
      {
        id: 'no-selling',
        title: 'We do not sell your data',
        paragraphs: [
          'We do not sell your personal data, and we do not rent it out. Nobody pays us for it in any other way.',
        ],
      },
      {
        id: 'deletion',
        title: 'When you leave',
        paragraphs: [
          'You can delete your account under ‘Delete My Account’ in your account settings. You and your listings disappear at once. Your personal data is removed within 14 days of the deletion of your account.',
          'What others need of what they did with you stays with them without your name: a conversation is then one with a deleted user, and a bid one of a deleted user.',
        ],
        links: [{ to: paths.account('settings'), label: 'Go to your account settings' }],
      },
      {
        id: 'rights',
        title: 'Your rights',
        paragraphs: ['You have the right'],
        points: [
          'to know which data we keep about you, and to get a copy of it,',
          'to have it corrected; most of it you can change yourself in your account,',
          'to have it deleted,',
          'to object to a use of it, and to withdraw a consent that you gave.',
        ],
      },
      {
        id: 'security',
        title: 'Security',
        paragraphs: [
          'Connections are encrypted. Passwords are stored only as salted hashes, so that nobody can read them, we included. Each part of our system can reach only the data that it needs. The location that a camera writes into a photograph is removed when you upload it.',
        ],
      },
      {
        id: 'third-parties',
        title: 'Third parties',
        paragraphs: ['We pass on only what these need for their part:'],
        points: [
          'payment providers, when you pay for a boost,',
          'authentication providers, when you sign in through one,',
          'analytics providers, which learn what pages are used and not who you are.',
        ],
      },
      {
        id: 'social-login',
        title: 'Social login',
        paragraphs: [
          'If you sign in with Facebook, we receive your name, your e-mail address and an identifier from there, and nothing that you post. We post nothing in your name. You can unlink it at any time by setting a password and removing Wangian from your apps there.',
        ],
      },
    ],
  },
  returns: {
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
  },
  shipping: {
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
  },
  terms: {
    title: 'Terms of Service',
    intro: 'What you agree to when you use Wangian, in words that are meant to be read.',
    updated: '2025-04-14',
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
          'Your photographs and texts remain yours. You let us show them on Wangian, and where we tell people about your listing, for as long as the listing exists; the first photograph also stays in the chats that are about it, until your account is deleted. The names and marks of perfume houses belong to their owners; we use them only to say what is being sold. The design and the software of Wangian belong to us.',
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
  },
} satisfies Guides
