import { errorCatalogue } from '@wangian/contracts/errors.ts'
import { plainMessage } from '@wangian/contracts/messages.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError, shownMessage } from '../api/api-error.ts'
import { ProviderError } from '../session/auth-provider.ts'
import { loadWords, showLanguage } from './i18n.ts'
import { sentenceInPageLanguage } from './in-page-language.ts'

const refusal = (code: string, message: string) => new ApiError(409, JSON.stringify({ code, message, requestId: 'r' }))

describe('in Malay, what the servers say', () => {
  beforeEach(async () => {
    await showLanguage('ms')
    await loadWords()
  })
  afterEach(() => showLanguage('en'))

  it('is said by its code', () => {
    const { message } = errorCatalogue['auction-ended']
    expect(refusal('auction-ended', message).shown).toBe('Lelongan ini telah tamat')
  })

  it('is said as it is where the sentence itself is known', () => {
    expect(refusal('conflict', 'You cannot ban yourself').shown).toBe('Anda tidak boleh menggantung diri sendiri')
  })

  it('is said with what stands in the sentence', () => {
    expect(refusal('conflict', 'The winner has until 24 Nov, 16:00 to pay.').shown).toBe(
      'Pemenang mempunyai masa sehingga 24 Nov, 16:00 untuk membayar.',
    )
  })

  it('is said in English where neither is known, rather than not at all', () => {
    expect(refusal('of-a-newer-server', 'Something new').shown).toBe('Something new')
  })

  it('is said when nothing was answered', () => {
    expect(new ApiError(0, 'No answer').shown).toBe('Ini tidak tersedia sekarang. Sila cuba lagi sebentar nanti.')
    expect(shownMessage(new TypeError('a bug'))).toBe('Ada masalah di pihak kami. Sila cuba lagi.')
  })

  it('is said of the auth provider', () => {
    expect(new ProviderError('Invalid login credentials', 'invalid_credentials').shown).toBe(
      'Butiran log masuk tidak betul',
    )
  })

  it.each([
    [z.object({ batchCode: z.string() }), {}, 'Kod kelompok diperlukan'],
    [
      z.object({ comment: z.string().max(2000) }),
      { comment: 'x'.repeat(2001) },
      'Komen mesti paling banyak 2,000 aksara',
    ],
    [z.object({ rating: z.number().min(1) }), { rating: 0 }, 'Penilaian mesti 1 atau lebih'],
    [z.object({ rating: z.number().max(5) }), { rating: 6 }, 'Penilaian mesti 5 atau kurang'],
    [z.object({ price: z.number().gt(0) }), { price: 0 }, 'Harga mesti lebih daripada 0'],
    [z.object({ name: z.string().min(3) }), { name: 'x' }, 'Nama mesti sekurang-kurangnya 3 aksara'],
    [z.object({ boxCondition: z.enum(['Good']) }), { boxCondition: 'x' }, 'Keadaan kotak tidak sah'],
  ])('is said of a field that breaks a rule', (schema: z.ZodType, value, sentence) => {
    const message = schema.safeParse(value, { error: plainMessage }).error?.issues[0]?.message
    expect(sentenceInPageLanguage(message ?? '')).toBe(sentence)
  })

  it('follows the language of the page', async () => {
    const error = refusal('auction-ended', 'This auction has ended')
    await showLanguage('en')
    expect(error.shown).toBe('This auction has ended')
  })
})
