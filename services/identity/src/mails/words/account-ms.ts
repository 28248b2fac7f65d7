import type { accountWordsEn } from './account-en.ts'

const ownAccount = 'Anda menerima e-mel ini kerana ini alamat akaun anda di Wangian.'

/** What mails about somebody's own account say in Malay. */
export const accountWordsMs: typeof accountWordsEn = {
  signUp: {
    title: 'Sahkan alamat e-mel anda',
    paragraphs: [
      'Selamat datang ke Wangian. Sahkan bahawa alamat ini milik anda, dan anda boleh log masuk.',
      'Pautan dan kod ini boleh digunakan sekali, dalam masa 24 jam.',
    ],
    button: 'Sahkan alamat e-mel',
    footer:
      'Anda menerima e-mel ini kerana seseorang mendaftar di Wangian dengan alamat anda. Jika bukan anda, abaikan sahaja: akaun itu tidak dapat digunakan.',
  },
  knownAddress: {
    title: 'Anda sudah mempunyai akaun',
    paragraphs: [
      'Seseorang cuba mendaftar di Wangian dengan alamat anda, atau memindahkan akaun lain kepadanya. Alamat ini sudah digunakan oleh akaun anda, jadi tiada apa-apa yang berubah.',
      'Jika itu anda, log masuk. Jika anda terlupa kata laluan, pilih ‘Lupa kata laluan?’ di sana.',
    ],
    button: 'Log masuk',
    footer:
      'Anda menerima e-mel ini kerana anda mempunyai akaun di Wangian. Jika bukan anda, tiada apa-apa yang perlu dibuat.',
  },
  recovery: {
    title: 'Set semula kata laluan anda',
    paragraphs: [
      'Pilih kata laluan baharu untuk akaun anda di Wangian. Semua peranti anda akan dilog keluar selepas itu.',
      'Pautan dan kod ini boleh digunakan sekali, dalam masa 30 minit.',
    ],
    button: 'Pilih kata laluan baharu',
    footer:
      'Anda menerima e-mel ini kerana seseorang meminta kata laluan baharu untuk akaun anda. Jika bukan anda, abaikan sahaja: kata laluan anda tidak berubah.',
  },
  emailChange: {
    title: 'Sahkan alamat e-mel baharu anda',
    paragraphs: [
      'Sahkan bahawa alamat ini milik anda, dan akaun anda di Wangian akan menggunakannya selepas itu.',
      'Pautan dan kod ini boleh digunakan sekali, dalam masa 24 jam.',
    ],
    button: 'Sahkan alamat baharu',
    footer:
      'Anda menerima e-mel ini kerana seseorang mahu menggunakan alamat anda untuk akaunnya di Wangian. Jika bukan anda, abaikan sahaja: tiada apa-apa akan berubah.',
  },
  emailChangeNotice: (newEmail) => ({
    title: 'Alamat e-mel anda akan ditukar',
    paragraphs: [
      `Seseorang yang log masuk ke akaun anda di Wangian meminta alamat e-melnya ditukar kepada ${newEmail}. Ia ditukar sebaik sahaja alamat itu disahkan.`,
      'Jika bukan anda, tukar kata laluan anda segera: semua sesi lain akan tamat.',
    ],
    footer: ownAccount,
  }),
  passwordChanged: {
    title: 'Kata laluan anda telah ditukar',
    paragraphs: [
      'Kata laluan akaun anda di Wangian baru sahaja ditukar, dan peranti anda yang lain telah dilog keluar.',
      'Jika bukan anda, pilih kata laluan baharu segera: ‘Lupa kata laluan?’ pada halaman log masuk menghantar pautan kepada anda.',
    ],
    button: 'Pergi ke halaman log masuk',
    footer: ownAccount,
  },
  passwordSet: {
    title: 'Akaun anda kini mempunyai kata laluan',
    paragraphs: [
      'Kata laluan telah ditetapkan untuk akaun anda di Wangian. Anda boleh log masuk dengannya dan alamat e-mel anda, selain cara yang anda gunakan selama ini.',
      'Jika bukan anda, pilih yang baharu segera: ‘Lupa kata laluan?’ pada halaman log masuk menghantar pautan kepada anda.',
    ],
    button: 'Pergi ke halaman log masuk',
    footer: ownAccount,
  },
  identityLinked: (site) => ({
    title: `Anda kini boleh log masuk dengan ${site}`,
    paragraphs: [
      `Seseorang log masuk ke Wangian dengan akaun ${site} yang mempunyai alamat e-mel anda. Mulai sekarang akaun ${site} itu membuka akaun anda di sini.`,
      `Jika bukan anda, lindungi akaun ${site} anda, dan putuskan sambungannya dalam tetapan akaun anda di sini.`,
    ],
    button: 'Buka tetapan anda',
    footer: ownAccount,
  }),
  identityUnlinked: (site) => ({
    title: `Sambungan ${site} dengan akaun anda telah diputuskan`,
    paragraphs: [
      `Akaun ${site} anda tidak lagi membuka akaun anda di Wangian. Anda log masuk dengan alamat e-mel dan kata laluan anda.`,
      'Jika bukan anda, tukar kata laluan anda segera: semua sesi lain akan tamat.',
    ],
    button: 'Pergi ke halaman log masuk',
    footer: ownAccount,
  }),
  factorAdded: (isFirst) => ({
    title: isFirst ? 'Log masuk dua langkah telah dihidupkan' : 'Satu lagi aplikasi pengesah telah disambungkan',
    paragraphs: [
      isFirst
        ? 'Aplikasi pengesah telah disambungkan ke akaun anda di Wangian. Mulai sekarang anda memerlukan kata laluan anda dan kod daripada aplikasi itu untuk log masuk.'
        : 'Satu lagi aplikasi pengesah telah disambungkan ke akaun anda di Wangian. Kodnya boleh digunakan untuk log masuk, sama seperti kod aplikasi anda yang lain.',
      'Jika bukan anda, ada orang yang mengetahui kata laluan anda. Tulis kepada kami segera: kami boleh membuang aplikasi itu setelah memastikan akaun ini milik anda.',
    ],
    button: 'Buka tetapan anda',
    footer: ownAccount,
  }),
  factorRemoved: (isLast) => ({
    title: isLast ? 'Log masuk dua langkah telah dimatikan' : 'Satu aplikasi pengesah telah dibuang',
    paragraphs: [
      isLast
        ? 'Seseorang yang log masuk ke akaun anda di Wangian telah membuang aplikasi pengesah dan kod pemulihannya. Kata laluan anda sahaja sudah cukup untuk log masuk semula.'
        : 'Seseorang yang log masuk ke akaun anda di Wangian telah membuang salah satu aplikasi pengesahnya. Kod aplikasi yang satu lagi masih diminta.',
      'Jika bukan anda, tukar kata laluan anda segera: semua sesi lain akan tamat. Kemudian sediakan log masuk dua langkah semula.',
    ],
    button: 'Buka tetapan anda',
    footer: ownAccount,
  }),
  factorTakenOff: {
    title: 'Log masuk dua langkah telah dimatikan untuk anda',
    paragraphs: [
      'Pentadbir Wangian telah membuang aplikasi pengesah dan kod pemulihan akaun anda. Anda telah dilog keluar di semua peranti, dan kata laluan anda sahaja sudah cukup untuk log masuk semula.',
      'Sediakan log masuk dua langkah semula dengan aplikasi baharu anda. Jika anda tidak memintanya, tukar kata laluan anda segera, dan tulis kepada kami.',
    ],
    button: 'Buka tetapan anda',
    footer: ownAccount,
  },
  recoveryCodeUsed: (left) => ({
    title: 'Kod pemulihan telah digunakan',
    paragraphs: [
      `Seseorang mengesahkan log masuk ke akaun anda di Wangian dengan kata laluan anda dan salah satu kod pemulihan anda. Tinggal ${left} kod.`,
      'Jika bukan anda, tukar kata laluan anda segera: semua sesi lain akan tamat. Kemudian buat kod pemulihan baharu.',
    ],
    button: 'Buka tetapan anda',
    footer: ownAccount,
  }),
  accountClosed: ({ username, day }) => ({
    subject: 'Akaun Wangian anda telah dipadam',
    title: 'Akaun anda telah dipadam',
    paragraphs: [
      `Hai ${username},`,
      'Akaun Wangian anda telah dipadam seperti yang anda minta. Anda telah dilog keluar di semua peranti, dan tiada sesiapa lagi melihat profil atau iklan anda.',
      `Pada ${day} data peribadi anda akan dihapuskan buat selama-lamanya. Apa yang diperlukan oleh orang lain kekal tanpa nama anda: bida anda, serta bahagian anda dalam perbualan dan pesanan.`,
      `Jika anda tidak memintanya, atau berubah fikiran, beritahu pasukan sokongan kami sebelum ${day}. Sehingga itu mereka boleh mengembalikan akaun anda.`,
    ],
    footer:
      'Anda menerima e-mel ini kerana akaun dengan alamat ini telah dipadam. Tiada lagi e-mel lain akan dihantar.',
  }),
}
