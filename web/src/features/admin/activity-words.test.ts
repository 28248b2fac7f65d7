import { afterEach, expect, it } from 'vitest'
import { i18n, loadAdminWords, showLanguage } from '../../i18n/i18n.ts'
import { changesOf, targetName, targetPath } from './activity-words.ts'

await loadAdminWords()
const { t } = i18n
afterEach(() => showLanguage('en'))

it('says what was changed, and leaves out what has stayed', () => {
  const before = { isBanned: false, username: 'mei', hasSecondFactor: true, tries: 3 }
  const after = { isBanned: true, username: 'mei', hasSecondFactor: false, tries: null }
  expect(changesOf({ before, after }, t)).toEqual([
    { field: 'Banned', before: 'No', after: 'Yes' },
    { field: 'Second factor', before: 'Yes', after: 'No' },
    { field: 'tries', before: '3', after: '—' },
  ])
  expect(changesOf({ before: {}, after: { status: 'removed' } }, t)).toEqual([
    { field: 'Status', before: '—', after: 'removed' },
  ])
})

it('says what each action has changed in the language of the page', async () => {
  const said = () =>
    [
      [{ status: 'processing' }, { status: 'shipped' }],
      [{ status: 'open' }, { status: 'upheld' }],
      [{ isRemoved: false }, { isRemoved: true }],
      [{ isOpen: true }, { isOpen: false }],
      [{ isRefunded: false }, { isRefunded: true, amountSen: 900 }],
    ].flatMap(([before = {}, after = {}]) =>
      changesOf({ before, after }, t).map((change) => t('admin.changed', { ...change }).replace('\u00a0', ' ')),
    )
  expect(said()).toEqual([
    'Status: Processing → Shipped',
    'Status: Open → Upheld',
    'Removed: No → Yes',
    'Open: Yes → No',
    'Paid back: No → Yes',
    'Amount: — → RM 9.00',
  ])
  await showLanguage('ms')
  expect(said()).toEqual([
    'Status: Diproses → Dihantar',
    'Status: Terbuka → Diterima',
    'Dikeluarkan: Tidak → Ya',
    'Terbuka: Ya → Tidak',
    'Dibayar balik: Tidak → Ya',
    'Jumlah: — → RM 9.00',
  ])
})

it('names and finds what was acted on', () => {
  expect(targetName({ kind: 'user', id: '10', name: 'bala' }, t)).toBe('bala')
  expect(targetName({ kind: 'order', id: '5', name: null }, t)).toBe('Order #5')
  expect(targetPath({ kind: 'listing', id: '7', name: null })).toBe('/admin/listings/7')
  expect(targetPath({ kind: 'event', id: 'e', name: null })).toBe('/admin/dashboard?tab=system')
})
