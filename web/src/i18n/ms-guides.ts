import { paths } from '../paths.ts'
import type { Guides } from './guides.ts'

/** The Malay pages of text. */
export const guidesMs: Guides = {
  about: {
    title: 'Tentang Kami',
    intro: 'Wangian bermaksud haruman. Di sinilah botol yang layak dipakai menemui orang yang akan memakainya.',
    sections: [
      {
        id: 'why',
        title: 'Sebab kami di sini',
        paragraphs: [
          'Koleksi minyak wangi jarang dihabiskan oleh orang yang mengumpulnya. Cita rasa berubah, hadiah tidak kena, seratus mililiter tahan bertahun-tahun. Sementara itu, seseorang di bandar sebelah mencari botol yang sama, dan tidak mampu atau tidak mahu membayar harga baharunya.',
          'Kami menemukan kedua-duanya: minyak wangi mewah terpakai yang tulen pada harga rendah, di samping yang baharu, serta pembuat wangian bebas dari Malaysia dan sekitarnya.',
        ],
      },
      {
        id: 'how',
        title: 'Cara ia berfungsi',
        paragraphs: [
          'Orang mengiklankan botol pada harga tetap, pada harga yang boleh dirunding, atau dalam lelongan langsung. Sepenuh mana sesebuah botol tertera pada setiap kad, kerana itulah perkara pertama yang akan anda tanya. Pembeli dan penjual berbincang dan bersetuju dalam sembang.',
        ],
        links: [{ to: paths.buyingGuide(), label: 'Panduan membeli' }],
      },
      {
        id: 'trust',
        title: 'Pegangan kami',
        paragraphs: [],
        points: [
          'Keadaan diutamakan: apa yang ditunjukkan dalam iklan, itulah yang sampai.',
          'Lelongan yang adil: satu jam, satu urutan bida, tiada sesiapa di tengah-tengah.',
          'Data anda milik anda, dan pergi bersama anda.',
        ],
        links: [
          { to: paths.terms(), label: 'Terma Perkhidmatan' },
          { to: paths.privacy(), label: 'Dasar Privasi' },
        ],
      },
      {
        id: 'where',
        title: 'Di mana kami berada',
        paragraphs: [
          'Kami berada di Kuala Lumpur, Malaysia, dan membaca setiap e-mel yang dihantar ke alamat di bawah.',
        ],
      },
    ],
  },
  authenticity: {
    title: 'Panduan Ketulenan',
    intro: 'Tiada satu tanda pun yang membuktikan minyak wangi itu tulen. Beberapa tanda yang sepadan hampir memadai.',
    sections: [
      {
        id: 'batch-code',
        title: 'Kod kelompok',
        paragraphs: [
          'Kebanyakan jenama mencetak atau mengukir kod beberapa huruf dan angka di bawah botol dan pada kotak. Kedua-duanya mesti sama. Kod yang dicetak senget, mudah tertanggal, atau tiada pada salah satunya patut ditanya.',
        ],
      },
      {
        id: 'box',
        title: 'Kotak dan selofan',
        paragraphs: [
          'Kotak tulen mempunyai cetakan tajam, tepi yang rata dan kad yang kukuh. Selofannya tegang, berlipat kemas dan tanpa gam di penjuru. Kesalahan ejaan pada ramuan ialah tanda yang jelas.',
        ],
      },
      {
        id: 'bottle',
        title: 'Botol, penutup dan penyembur',
        points: [
          'Kacanya jernih, tanpa gelembung atau sambungan yang dapat dirasa.',
          'Penutupnya terpasang kukuh; yang bermagnet akan meluruskan dirinya.',
          'Tiubnya nipis, hampir tidak kelihatan dalam cecair, dan cukup panjang sahaja.',
          'Semburannya halus dan sekata.',
        ],
        paragraphs: ['Minta gambar setiap satu:'],
      },
      {
        id: 'liquid',
        title: 'Cecair',
        paragraphs: [
          'Warna boleh menjadi gelap mengikut tahun, dan vanila menjadikan banyak minyak wangi kekuningan. Cecair yang keruh, berkeladak, atau warnanya langsung tidak serupa dengan botol lain daripada kelompok yang sama menimbulkan keraguan.',
        ],
      },
      {
        id: 'price',
        title: 'Harga dan penjual',
        paragraphs: [
          'Harga yang jauh lebih rendah daripada yang lain, penjual tanpa ulasan dan permintaan untuk membayar di luar persetujuan jarang berlaku serentak secara kebetulan. Bukti belian menyelesaikan banyak perkara: mintalah.',
        ],
      },
      {
        id: 'doubt',
        title: 'Jika ragu-ragu',
        paragraphs: [
          'Jangan bayar. Tanya dalam sembang, bandingkan dengan iklan lain, dan maklumkan kami tentang barang tiruan.',
        ],
        links: [{ to: paths.terms(), label: 'Apa yang tidak boleh diiklankan' }],
      },
    ],
  },
  buying: {
    title: 'Panduan Membeli',
    intro: 'Lima langkah daripada melihat hingga memakai, dan apa yang ada untuk penjual.',
    sections: [
      {
        id: 'browse',
        title: 'Langkah 1: Lihat-lihat',
        paragraphs: [
          'Lihat koleksi atau cari jenama, nama atau nota. Tapis mengikut kategori, harga dan jenama. Tolok pada setiap botol menunjukkan sepenuh mana isinya; iklan menyatakan sama ada harganya tetap, boleh runding, atau ditentukan melalui lelongan.',
        ],
        links: [{ to: paths.products(), label: 'Lihat minyak wangi' }],
      },
      {
        id: 'authenticity',
        title: 'Langkah 2: Semak ketulenan',
        paragraphs: [
          'Bandingkan kod kelompok dengan corak pembuatnya, lihat gambar penutup, penyembur, label dan kotak, dan baca apa kata pembeli lain tentang penjual. Jika ada yang kurang, minta gambar lain.',
        ],
        links: [{ to: paths.authenticationGuide(), label: 'Cara menyemak minyak wangi' }],
      },
      {
        id: 'contact',
        title: 'Langkah 3: Hubungi penjual dalam sembang',
        paragraphs: [
          'Gunakan ‘Hubungi Penjual’ pada iklan. Tanya apa yang anda ingin tahu dan setujui harga, pembayaran dan cara penghantaran. Kekalkan perbualan di Wangian: itulah rekod persetujuan anda.',
        ],
      },
      {
        id: 'complete',
        title: 'Langkah 4: Selesaikan transaksi',
        paragraphs: [
          'Penjual mencipta transaksi dalam sembang dan memilih minyak wangi yang anda mahu. Sahkan pembelian, bayar seperti yang dipersetujui, dan tunggu penjual mengesahkan pembayaran. Semak butiran pembayaran dan minta bukti belian sebelum anda membayar.',
        ],
      },
      {
        id: 'confirm',
        title: 'Langkah 5: Sahkan dan nilai',
        paragraphs: [
          'Apabila minyak wangi sampai, bandingkan dengan iklannya, sahkan penghantaran dalam sembang dan nilai penjual. Ulasan anda membantu pembeli seterusnya.',
        ],
      },
      {
        id: 'seller-dashboard',
        title: 'Untuk penjual: papan pemuka',
        paragraphs: ['Penjual menemui semuanya di papan pemuka penjual.'],
        points: [
          'Lihat, sunting dan padam iklan anda, dan iklankan semula minyak wangi yang tidak terjual.',
          'Promosikan iklan di laman utama dan dalam hasil carian.',
          'Analitik: berapa kali iklan anda dilihat, disimpan, ditanya dan dijual.',
        ],
        links: [{ to: paths.sellerDashboard(), label: 'Papan Pemuka Penjual' }],
      },
    ],
  },
  privacy: {
    title: 'Dasar Privasi',
    intro: 'Apa yang kami tahu tentang anda, untuk apa, dan bagaimana anda boleh memadamnya.',
    updated: '2025-04-26',
    sections: [
      {
        id: 'data',
        title: 'Data yang kami kumpul',
        paragraphs: [
          'Kami menyimpan apa yang diperlukan oleh pasaran ini untuk berfungsi, dan tidak lebih daripada itu.',
        ],
        points: [
          'Akaun anda: nama pengguna, alamat e-mel, nama, dan alamat anda jika anda memberikannya.',
          'Apa yang anda tunjukkan tentang diri anda: nama kedai, lokasi, teks tentang anda, gambar anda.',
          'Apa yang anda lakukan: iklan, bida, kegemaran, mesej dan fail di dalamnya, pembelian dan ulasan.',
          'Apa yang dinyatakan oleh mesin semasa menyambung: alamat rangkaian, pelayar, masa.',
        ],
      },
      {
        id: 'use',
        title: 'Cara kami menggunakannya',
        paragraphs: ['Kami menggunakan data anda untuk mengendalikan pasaran:'],
        points: [
          'untuk membolehkan anda log masuk dan memastikan akaun anda selamat,',
          'untuk menunjukkan iklan dan bida anda kepada orang lain, dengan nama pengguna anda,',
          'untuk menghantar e-mel yang anda perlukan, dan pemberitahuan yang telah anda hidupkan,',
          'untuk mengesan dan menghentikan penyalahgunaan, dan memahami bahagian Wangian yang digunakan.',
        ],
      },
      {
        id: 'no-selling',
        title: 'Kami tidak menjual data anda',
        paragraphs: [
          'Kami tidak menjual data peribadi anda, dan tidak menyewakannya. Tiada sesiapa membayar kami untuknya dengan apa-apa cara lain.',
        ],
      },
      {
        id: 'deletion',
        title: 'Apabila anda pergi',
        paragraphs: [
          'Anda boleh memadam akaun anda di bawah ‘Padam Akaun Saya’ dalam tetapan akaun. Anda dan iklan anda hilang serta-merta. Data peribadi anda dibuang dalam masa 14 hari selepas akaun anda dipadam.',
          'Apa yang diperlukan orang lain daripada urusan mereka dengan anda kekal pada mereka tanpa nama anda: perbualan menjadi perbualan dengan pengguna dipadam, dan bida menjadi bida pengguna dipadam.',
        ],
        links: [{ to: paths.account('settings'), label: 'Pergi ke tetapan akaun anda' }],
      },
      {
        id: 'rights',
        title: 'Hak anda',
        paragraphs: ['Anda berhak'],
        points: [
          'mengetahui data anda yang kami simpan, dan mendapatkan salinannya,',
          'meminta ia dibetulkan; kebanyakannya boleh anda ubah sendiri dalam akaun anda,',
          'meminta ia dipadam,',
          'membantah penggunaannya, dan menarik balik persetujuan yang anda berikan.',
        ],
      },
      {
        id: 'security',
        title: 'Keselamatan',
        paragraphs: [
          'Sambungan disulitkan. Kata laluan disimpan hanya sebagai cincangan bergaram, supaya tiada sesiapa boleh membacanya, termasuk kami. Setiap bahagian sistem kami hanya boleh mencapai data yang diperlukannya. Lokasi yang ditulis kamera ke dalam gambar dibuang apabila anda memuat naiknya.',
        ],
      },
      {
        id: 'third-parties',
        title: 'Pihak ketiga',
        paragraphs: ['Kami hanya menyampaikan apa yang diperlukan oleh mereka ini untuk bahagian mereka:'],
        points: [
          'penyedia pembayaran, apabila anda membayar promosi,',
          'penyedia pengesahan, apabila anda log masuk melaluinya,',
          'penyedia analitik, yang mengetahui halaman yang digunakan dan bukan siapa anda.',
        ],
      },
      {
        id: 'social-login',
        title: 'Log masuk sosial',
        paragraphs: [
          'Jika anda log masuk dengan Facebook, kami menerima nama anda, alamat e-mel anda dan satu pengenal daripadanya, dan bukan apa yang anda siarkan. Kami tidak menyiarkan apa-apa atas nama anda. Anda boleh memutuskannya pada bila-bila masa dengan menetapkan kata laluan dan membuang Wangian daripada aplikasi anda di sana.',
        ],
      },
    ],
  },
  returns: {
    title: 'Dasar Pemulangan',
    intro: 'Jual beli berlaku antara individu. Inilah yang boleh mereka harapkan daripada satu sama lain.',
    sections: [
      {
        id: 'as-described',
        title: 'Seperti yang diterangkan',
        paragraphs: [
          'Pembeli boleh memulangkan minyak wangi yang tidak seperti yang dinyatakan dalam iklan: haruman atau saiz lain, isinya jelas kurang daripada yang dinyatakan, rosak dengan cara yang tidak ditunjukkan, atau tiruan. Nyatakan dalam sembang dalam masa tiga hari selepas penghantaran, berserta gambar.',
        ],
      },
      {
        id: 'change-of-mind',
        title: 'Berubah fikiran',
        paragraphs: [
          'Minyak wangi terpakai tidak dipulangkan kerana haruman itu tidak digemari, melainkan penjual bersetuju. Tanya sebelum membeli; ramai penjual gembira menerangkan bagaimana baunya apabila dipakai.',
        ],
      },
      {
        id: 'auctions',
        title: 'Lelongan',
        paragraphs: [
          'Bida adalah muktamad dan mengikat. Apa yang dinyatakan di atas tentang minyak wangi yang tidak seperti diterangkan terpakai juga bagi lelongan.',
        ],
        links: [{ to: `${paths.terms()}#auctions`, label: 'Terma tentang lelongan' }],
      },
      {
        id: 'how',
        title: 'Cara memulangkan',
        paragraphs: [
          'Setujui dalam sembang. Pembeli menghantar semula minyak wangi seperti ia diterima, dengan penjejakan; penjual membayar balik harganya dan, jika minyak wangi itu tidak seperti diterangkan, kos penghantaran pergi dan balik.',
        ],
      },
      {
        id: 'disagree',
        title: 'Jika tiada persetujuan',
        paragraphs: [
          'Tulis kepada kami dengan pautan iklan. Kami akan melihat perbualan dan gambarnya, dan akaun yang mengelirukan orang lain akan ditutup. Eskrow dan perlindungan pembeli akan datang.',
        ],
      },
    ],
  },
  shipping: {
    title: 'Garis Panduan Penghantaran',
    intro: 'Botol yang sampai dengan selamat ialah separuh daripada ulasan yang baik.',
    sections: [
      {
        id: 'agree',
        title: 'Bersetuju dahulu',
        paragraphs: [
          'Pembeli dan penjual menetapkan dalam sembang bagaimana minyak wangi dihantar, kosnya, siapa yang membayar dan bila ia dihantar. Berjumpa sendiri juga boleh: pilih tempat awam.',
        ],
      },
      {
        id: 'pack',
        title: 'Bungkus dengan baik',
        paragraphs: [
          'Minyak wangi ialah kaca dan alkohol. Bungkus seolah-olah ia akan terjatuh sekali, kerana ia memang akan terjatuh.',
        ],
        points: [
          'Kunci atau lekatkan pita pada penyembur, dan masukkan botol ke dalam beg berkedap.',
          'Balut dengan dua lapis plastik gelembung, walaupun ia berkotak.',
          'Gunakan kotak kukuh dengan sekurang-kurangnya tiga sentimeter bahan pengisi di setiap sisi.',
          'Ambil gambar sebelum anda menutupnya.',
        ],
      },
      {
        id: 'carriers',
        title: 'Kurier dan peraturan',
        paragraphs: [
          'Minyak wangi dikira sebagai cecair mudah terbakar. Dalam Semenanjung Malaysia ia dihantar melalui jalan darat oleh kebanyakan kurier; ke Sabah dan Sarawak banyak yang hanya menerimanya sebagai mel permukaan, dan tiada yang menerimanya melalui udara tanpa pengisytiharan. Tanya kurier anda, dan isytiharkan kandungannya.',
        ],
      },
      {
        id: 'track',
        title: 'Jejaki penghantaran',
        paragraphs: [
          'Hantar dengan penjejakan, dan kongsi nombornya dalam sembang pada hari yang sama. Pembeli mengesahkan penghantaran di sana apabila bungkusan sampai.',
        ],
      },
      {
        id: 'broken',
        title: 'Jika ia sampai dalam keadaan pecah',
        paragraphs: [
          'Ambil gambar bungkusan, bahan pembungkus dan botol dengan segera, dan hantar dalam sembang. Orang yang menempah kurier menuntut kerosakan itu di sana.',
        ],
        links: [{ to: paths.returnPolicy(), label: 'Dasar Pemulangan' }],
      },
    ],
  },
  terms: {
    title: 'Terma Perkhidmatan',
    intro: 'Apa yang anda persetujui apabila menggunakan Wangian, dalam kata-kata yang memang untuk dibaca.',
    updated: '2025-04-14',
    sections: [
      {
        id: 'overview',
        title: 'Gambaran keseluruhan',
        paragraphs: [
          'Wangian ialah pasaran di Malaysia tempat orang menjual minyak wangi terpakai dan baharu kepada satu sama lain, pada harga tetap, pada harga yang dipersetujui, atau secara lelongan. Kami menyediakan tempatnya. Jualan itu sendiri ialah kontrak antara pembeli dengan penjual, dan kami bukan pihak kepadanya.',
          'Dengan membuka akaun, mengiklankan minyak wangi, membida atau membeli, anda menerima terma ini. Jika anda tidak menerimanya, sila jangan gunakan Wangian.',
        ],
      },
      {
        id: 'user-duties',
        title: 'Tanggungjawab anda sebagai pengguna',
        paragraphs: ['Anda mesti berumur sekurang-kurangnya 16 tahun untuk menggunakan Wangian.'],
        points: [
          'Berikan maklumat yang benar tentang diri anda dan pastikan ia terkini.',
          'Rahsiakan kata laluan anda. Apa yang dilakukan dengan akaun anda dikira sebagai dilakukan oleh anda.',
          'Gunakan satu akaun untuk diri anda, dan jangan bida iklan anda sendiri atau menyuruh orang lain melakukannya.',
          'Hormati orang lain, dalam iklan, bida dan sembang.',
        ],
      },
      {
        id: 'listings',
        title: 'Iklan',
        paragraphs: [
          'Iklan mesti memberitahu pembeli yang tidak dapat menghidu atau menyentuh botol itu apa yang akan mereka terima.',
        ],
        points: [
          'Iklankan hanya minyak wangi yang anda miliki, ada di tangan anda dan boleh anda jual.',
          'Gunakan gambar anda sendiri bagi botol yang sebenarnya dijual.',
          'Nyatakan paras isi, kod kelompok jika ada, serta keadaan botol dan kotak dengan benar.',
          'Nyatakan jika botol pernah diisi semula, dituang ke bekas lain atau rosak.',
          'Kami boleh mengeluarkan iklan yang melanggar peraturan ini, dan kami memberitahu penjual sebabnya.',
        ],
      },
      {
        id: 'shipping',
        title: 'Penghantaran',
        paragraphs: [
          'Pembeli dan penjual bersetuju dalam sembang bagaimana dan bila minyak wangi diserahkan atau dihantar, dan siapa yang membayarnya. Penjual membungkusnya supaya sampai dengan selamat, menghantarnya dalam masa yang dipersetujui dan berkongsi nombor penjejakan. Minyak wangi mengandungi alkohol: peraturan kurier bagi barang mudah terbakar terpakai.',
        ],
        links: [{ to: paths.shippingGuidelines(), label: 'Garis Panduan Penghantaran' }],
      },
      {
        id: 'auctions',
        title: 'Lelongan',
        paragraphs: [
          'Bida adalah muktamad dan mengikat. Bida tidak boleh ditarik balik, dan bida tertinggi pada akhir lelongan mewajibkan pembida membeli pada harga itu, dengan syarat harga rizab dicapai jika ada. Jam pelayan kami menentukan bila lelongan tamat.',
          'Pembayaran perlu dibuat dalam tempoh pembayaran yang dinyatakan penjual dalam sembang. Pemenang yang tidak membayar boleh digantung atau dilarang. Penjual yang enggan menjual pada harga menang juga boleh dikenakan tindakan sama.',
        ],
      },
      {
        id: 'escrow',
        title: 'Eskrow (akan datang)',
        paragraphs: [
          'Eskrow dan perlindungan pembeli akan datang. Sehingga itu pembeli dan penjual menyetujui pembayaran dalam sembang, dan membayar terus kepada satu sama lain. Semak butiran pembayaran, minta bukti belian, dan jangan kongsi maklumat peribadi atau perbankan di luar platform.',
        ],
      },
      {
        id: 'liability',
        title: 'Liabiliti',
        paragraphs: [
          'Kami tidak memiliki, memeriksa atau menghantar minyak wangi yang diiklankan, dan tidak dapat menjanjikan setiap iklan itu benar atau setiap jualan selesai. Setakat yang dibenarkan undang-undang, kami tidak bertanggungan atas apa yang dilakukan atau tidak dilakukan oleh pembeli atau penjual, mahupun kerugian akibatnya. Tiada apa-apa dalam terma ini mengehadkan hak yang diberikan undang-undang kepada anda dan yang tidak boleh dilepaskan.',
        ],
      },
      {
        id: 'prohibited-items',
        title: 'Barang larangan',
        paragraphs: ['Ini tidak boleh diiklankan, dan akaun yang mengiklankannya boleh ditutup:'],
        points: [
          'Minyak wangi tiruan, dan botol yang diisi semula dengan sesuatu selain yang tertera pada label.',
          'Barang berbahaya, dan minyak wangi yang tidak boleh dijual di Malaysia.',
          'Spam: botol yang sama diiklankan berulang kali, pengiklanan, dan barang yang bukan minyak wangi.',
        ],
      },
      {
        id: 'termination',
        title: 'Penamatan',
        paragraphs: [
          'Anda boleh memadam akaun anda pada bila-bila masa dalam tetapan akaun. Kami boleh menggantung atau menutup akaun yang melanggar terma ini atau undang-undang. Pembelian terbuka dan bida yang mengikat tetap perlu ditunaikan.',
        ],
      },
      {
        id: 'intellectual-property',
        title: 'Harta intelek',
        paragraphs: [
          'Gambar dan teks anda kekal milik anda. Anda membenarkan kami memaparkannya di Wangian, dan di tempat kami memberitahu orang tentang iklan anda, selagi iklan itu wujud; gambar pertama juga kekal dalam sembang tentangnya, sehingga akaun anda dipadam. Nama dan tanda jenama minyak wangi milik pemiliknya; kami menggunakannya hanya untuk menyatakan apa yang dijual. Reka bentuk dan perisian Wangian milik kami.',
        ],
      },
      {
        id: 'changes',
        title: 'Perubahan',
        paragraphs: [
          'Kami boleh mengubah terma ini. Tarikh di atas menunjukkan bila ia kali terakhir berlaku, dan perubahan yang penting diumumkan sebelum berkuat kuasa. Sesiapa yang menggunakan Wangian selepas itu menerimanya.',
        ],
      },
    ],
  },
}
