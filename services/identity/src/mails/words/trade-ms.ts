import type { ReportKind } from '@wangian/contracts/reports.ts'
import type { tradeWordsEn } from './trade-en.ts'

const gone = 'ahli yang telah meninggalkan Wangian'
const selling = 'Anda menerima e-mel ini kerana anda menjual di Wangian dan mahu dimaklumkan tentang'
const alwaysSent = 'ia tidak boleh dimatikan.'

const reported: Readonly<Record<ReportKind, string>> = {
  person: 'seorang ahli',
  listing: 'sebuah iklan',
  message: 'sebuah mesej',
  review: 'sebuah ulasan',
}

/** What mails about buying and selling say in Malay. */
export const tradeWordsMs: typeof tradeWordsEn = {
  aListing: 'sebuah iklan',
  accountSettings: 'Tetapan akaun anda',
  mailSettings: 'Pilih e-mel yang anda terima',

  auctionSold: ({ name, price, winner }) => ({
    subject: `Terjual dengan harga ${price}: ${name}`,
    title: `${name} terjual dengan harga ${price}`,
    paragraphs: [
      `Lelongan anda telah tamat, dan ${winner ?? gone} memenanginya dengan ${price}.`,
      'Botol ini ditempah untuk pemenang. Setujui pembayaran dan penghantaran dalam perbualan anda, dan mulakan transaksi di sana: hanya anda berdua boleh melakukannya.',
    ],
    button: 'Buka perbualan',
    footer: `${selling} jualan anda.`,
  }),
  auctionUnsold: ({ name, reason }) => ({
    subject: `Tidak terjual: ${name}`,
    title: `${name} tidak terjual`,
    paragraphs: [
      `Lelongan anda tamat tanpa pemenang. ${
        {
          'no-bids':
            'Tiada sesiapa membidanya. Harga permulaan yang lebih rendah atau gambar yang lain mungkin membantu.',
          'reserve-not-met': 'Bida tertingginya kekal di bawah harga rizab anda, jadi tiada sesiapa memenanginya.',
          'winner-unavailable':
            'Pembida tertinggi digantung atau telah meninggalkan Wangian, jadi tiada sesiapa memenanginya.',
        }[reason]
      }`,
      'Iklan ini boleh anda jual semula: buka lelongan lain untuknya dengan gambar dan penerangan yang sama.',
    ],
    button: 'Iklankan semula',
    footer: `${selling} kesudahan lelongan anda.`,
  }),
  auctionWon: ({ name, price, seller }) => ({
    title: `Anda memenangi ${name}`,
    paragraphs: [
      `Lelongan telah tamat, dan bida anda sebanyak ${price} ialah yang tertinggi.`,
      `Botol ini ditempah untuk anda. Setujui pembayaran dan penghantaran dengan ${seller ?? 'penjual'} dalam perbualan anda; bayar hanya setelah transaksi dimulakan di sana.`,
    ],
    button: 'Buka perbualan',
    footer: `Anda menerima e-mel ini kerana anda telah membeli sesuatu: ${alwaysSent}`,
  }),
  bidVoid: ({ name }) => ({
    title: `Bida anda untuk ${name} tidak lagi dikira`,
    paragraphs: [
      'Lelongan telah tamat, dan bida anda ialah yang tertinggi. Akaun anda digantung sebelum ia tamat, jadi tiada sesiapa memenanginya.',
      'Anda tidak berhutang apa-apa, dan iklan itu kembali kepada penjualnya.',
    ],
    footer: `Anda menerima e-mel ini kerana anda membidanya: ${alwaysSent}`,
  }),
  auctionRemoved: ({ name }) => ({
    title: `Lelongan ${name} terbatal`,
    paragraphs: [
      `Pentadbir telah mengeluarkan ${name} yang anda bida. Lelongannya terbatal, dan tiada sesiapa memenanginya.`,
      'Anda tidak berhutang apa-apa untuk bida anda.',
    ],
    footer: `Anda menerima e-mel ini kerana anda membidanya: ${alwaysSent}`,
  }),

  soldOut: ({ name }) => ({
    title: `${name} habis dijual`,
    paragraphs: [
      'Botol terakhir iklan ini telah terjual, dan pembeli tidak boleh memesannya lagi.',
      'Jika anda mempunyai lebih banyak, tambah stok dalam iklan itu.',
    ],
    button: 'Sunting iklan',
    footer: `${selling} stok yang hampir habis.`,
  }),
  stockLow: ({ name, left }) => ({
    title: `${name} tinggal ${left} sahaja`,
    paragraphs: [
      `Iklan ini mempunyai ${left} botol dalam stok. Apabila tiada lagi, ia dikira terjual.`,
      'Jika anda mempunyai lebih banyak, tambah stok dalam iklan itu.',
    ],
    button: 'Sunting iklan',
    footer: `${selling} stok yang hampir habis.`,
  }),
  newReview: ({ name, rating, buyer, hasComment }) => ({
    subject: `Ulasan baharu: ${rating} daripada 5 bintang`,
    title: `Ulasan dengan ${rating} daripada 5 bintang`,
    paragraphs: [
      `${buyer ?? 'Ahli yang telah meninggalkan Wangian'} mengulas pembelian ${name}.`,
      hasComment
        ? 'Ada beberapa patah kata bersamanya, yang boleh anda baca pada profil anda.'
        : 'Ia dikira dalam purata anda, yang dilihat oleh semua orang pada profil anda.',
    ],
    button: 'Lihat ulasan anda',
    footer: `${selling} ulasan baharu.`,
  }),
  listingRemoved: ({ name, reason }) => ({
    title: `Iklan anda, ${name}, telah dikeluarkan`,
    paragraphs: [
      'Pentadbir telah mengeluarkan iklan anda. Tiada sesiapa lagi melihatnya, dan ia tidak boleh dibeli.',
      `Sebabnya: ${reason}`,
      'Lelongannya dibatalkan, begitu juga transaksi yang belum dibayar. Yang sudah dibayar diteruskan.',
    ],
    button: 'Buka mesej anda',
    footer: `Anda menerima e-mel ini kerana anda menjual di Wangian: ${alwaysSent}`,
  }),
  reportDecided: ({ kind, decision }) => ({
    title: `Laporan anda tentang ${reported[kind]}`,
    paragraphs: [
      `Terima kasih kerana memberitahu kami. Kami telah menyemak laporan anda tentang ${reported[kind]}.`,
      {
        upheld: 'Ia melanggar peraturan kami, dan kami mengambil tindakan.',
        dismissed: 'Kami tidak menemui apa-apa yang melanggar peraturan kami.',
      }[decision],
    ],
    footer: `Anda menerima e-mel ini kerana anda telah melaporkan sesuatu: ${alwaysSent}`,
  }),

  boostPaid: ({ price, packageName, number }) => ({
    title: `Pembayaran anda sebanyak ${price} telah diterima`,
    paragraphs: [
      `Anda telah membayar ${price} untuk ${packageName}. Nombor resit anda ialah ${number}.`,
      'Produk anda naik ke tempat teratas sebentar lagi.',
    ],
    button: 'Buka promosi anda',
    footer: `Anda menerima e-mel ini kerana anda telah membayar sesuatu: ${alwaysSent}`,
  }),
  boostCase: ({ name, price }) => ({
    title: `${name} tidak dapat dipromosikan`,
    paragraphs: [
      `Pembayaran anda telah diterima, tetapi ${name} tidak lagi boleh dipromosikan: ia terjual, ditempah atau dikeluarkan. ${price} daripada pembayaran anda adalah untuknya.`,
      'Pilih produk anda yang lain dalam masa 30 hari, dan ia dipromosikan untuk tempoh yang sama.',
    ],
    button: 'Buka promosi anda',
    footer: `Anda menerima e-mel ini kerana anda telah membayar sesuatu: ${alwaysSent}`,
  }),
  boostRefund: ({ name, price }) => ({
    title: `${price} dipulangkan kepada anda`,
    paragraphs: [
      `${name} tidak dapat dipromosikan, dan tiada produk lain dipilih. ${price} daripada pembayaran anda dipulangkan.`,
    ],
    button: 'Buka promosi anda',
    footer: `Anda menerima e-mel ini kerana anda telah membayar sesuatu: ${alwaysSent}`,
  }),
}
