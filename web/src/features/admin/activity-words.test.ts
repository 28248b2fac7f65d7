import type { AdminActivity } from '@wangian/contracts/admin.ts'
import { expect, it } from 'vitest'
import { i18n, loadAdminWords } from '../../i18n/i18n.ts'
import { changesOf, targetName, targetPath } from './activity-words.ts'

await loadAdminWords()
const { t } = i18n

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

it('says what was done to what is no person, too', () => {
  const said = (before: AdminActivity['before'], after: AdminActivity['after']) =>
    changesOf({ before, after }, t).map((change) => t('admin.changed', { ...change }))
  expect(said({ isRemoved: false }, { isRemoved: true })).toEqual(['Removed: No → Yes'])
  expect(said({ isOpen: true }, { isOpen: false })).toEqual(['Open: Yes → No'])
  expect(said({ isRefunded: false }, { isRefunded: true, amountSen: 250 })).toEqual([
    'Paid back: No → Yes',
    'Amount: — → RM\u00a02.50',
  ])
  expect(said({ status: 'pending' }, { status: 'processing' })).toEqual(['Status: Pending → Processing'])
  expect(said({ status: 'open' }, { status: 'upheld' })).toEqual(['Status: Open → Upheld'])
})

it('names and finds what was acted on', () => {
  expect(targetName({ kind: 'user', id: '10', name: 'bala' }, t)).toBe('bala')
  expect(targetName({ kind: 'order', id: '5', name: null }, t)).toBe('Order #5')
  expect(targetPath({ kind: 'listing', id: '7', name: null })).toBe('/admin/listings/7')
  expect(targetPath({ kind: 'event', id: 'e', name: null })).toBe('/admin/dashboard?tab=system')
})
