import type { DealFacts, dealWordsEn } from './deal-en.ts'
import type { DealNews } from './deal-news.ts'

const gone = 'ahli yang telah meninggalkan Wangian'
const footers = {
  seller: 'Anda menerima e-mel ini kerana anda menjual di Wangian dan mahu dimaklumkan tentang jualan anda.',
  buyer: 'Anda menerima e-mel ini kerana anda sedang membeli sesuatu: ia tidak boleh dimatikan.',
}

/** What mails about a deal say in Malay. */
export const dealWordsMs: typeof dealWordsEn = {
  deal: (news, facts) => textOf(ofDeal(news, facts), facts),
  dealByAdmin: (news, facts) => textOf(ofAdmin(news, facts) ?? ofDeal(news, facts), facts),
}

function textOf({ title, paragraphs }: { title: string; paragraphs: string[] }, { isSeller }: DealFacts) {
  return { title, paragraphs, button: 'Buka perbualan', footer: isSeller ? footers.seller : footers.buyer }
}

function ofAdmin(news: DealNews, { name, price, other, isSeller }: DealFacts) {
  switch (news) {
    case 'payment-confirmed':
      return {
        title: `Pembayaran disahkan: ${name}`,
        paragraphs: [
          `Pentadbir telah mengesahkan pembayaran ${price} untuk ${name}.`,
          isSeller
            ? `Hantarkannya kepada ${other ?? gone}, yang akan mengesahkan dalam perbualan anda setelah ia sampai.`
            : 'Sahkan dalam perbualan anda setelah ia sampai.',
        ],
      }
    case 'delivery-confirmed':
      return {
        title: `Telah sampai: ${name}`,
        paragraphs: [
          `Pentadbir telah mengesahkan bahawa ${name} telah sampai. ${isSeller ? 'Jualan' : 'Pembelian'} ini selesai.`,
        ],
      }
    case 'cancelled':
      return {
        title: `Dibatalkan: ${name}`,
        paragraphs: [
          `Pentadbir telah membatalkan transaksi dengan ${other ?? gone} untuk ${name}. Botol ini tidak lagi ditempah.`,
          'Jika ia sudah dibayar, bincangkannya dalam perbualan anda.',
        ],
      }
    default:
      return null
  }
}

function ofDeal(news: DealNews, { name, price, other: somebody, isStranger }: DealFacts) {
  const other = somebody ?? gone
  switch (news) {
    case 'offered':
      return {
        title: isStranger
          ? 'Seorang penjual menawarkan minyak wangi kepada anda'
          : `Sila sahkan pembelian anda: ${name}`,
        paragraphs: [
          `${other} menawarkan ${name} kepada anda dengan harga ${price}.`,
          'Jika itu yang anda persetujui, sahkan pembelian dalam perbualan anda. Tiada apa-apa dibeli sebelum anda mengesahkannya.',
        ],
      }
    case 'purchase-confirmed':
      return {
        title: `Pembelian disahkan: ${name}`,
        paragraphs: [
          `${other} mengesahkan pembelian ${name} dengan harga ${price}. Botol ini ditempah untuknya.`,
          'Setujui cara pembayaran dalam perbualan anda, dan sahkan di sana setelah anda menerimanya.',
        ],
      }
    case 'payment-confirmed':
      return {
        title: `Pembayaran diterima: ${name}`,
        paragraphs: [
          `${other} telah menerima pembayaran anda sebanyak ${price} untuk ${name}.`,
          'Sahkan dalam perbualan anda setelah ia sampai.',
        ],
      }
    case 'delivery-confirmed':
      return {
        title: `Telah sampai: ${name}`,
        paragraphs: [`${other} mengesahkan bahawa ${name} telah sampai. Jualan ini selesai.`],
      }
    case 'cancelled':
      return {
        title: isStranger ? 'Satu transaksi telah dibatalkan' : `Dibatalkan: ${name}`,
        paragraphs: [
          `Transaksi dengan ${other} untuk ${name} telah dibatalkan. Botol ini tidak lagi ditempah.`,
          'Jika anda sudah membayar, bincangkannya dalam perbualan anda.',
        ],
      }
    case 'remind-purchase':
      return {
        title: isStranger
          ? 'Peringatan: seorang penjual menunggu jawapan anda'
          : `Peringatan: sahkan pembelian ${name}`,
        paragraphs: [
          `${other} menawarkan ${name} kepada anda dengan harga ${price} dan menunggu jawapan anda.`,
          'Sahkan pembelian dalam perbualan anda, atau batalkannya di sana.',
        ],
      }
    case 'remind-payment':
      return {
        title: `Peringatan: pembayaran untuk ${name}`,
        paragraphs: [
          `Anda telah mengesahkan pembelian ${name} dengan harga ${price}, dan ${other} belum mengesahkan pembayaran anda.`,
          'Bayar seperti yang dipersetujui. Jika anda sudah membayar, minta pengesahannya dalam perbualan anda.',
        ],
      }
    case 'remind-delivery':
      return {
        title: `Sudahkah ${name} sampai?`,
        paragraphs: [
          `Pembayaran anda untuk ${name} telah disahkan seminggu yang lalu.`,
          'Jika ia sudah sampai, sahkan dalam perbualan anda. Jika belum, tulis kepada penjual di sana.',
        ],
      }
    default:
      return news satisfies never
  }
}
