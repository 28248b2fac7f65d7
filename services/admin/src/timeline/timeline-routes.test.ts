import { afterAll, beforeAll, expect, it } from 'vitest'
import { listed, updated } from '../testing/facts.ts'
import { createTestAdmin, type TestAdmin } from '../testing/test-admin.ts'

let admin: TestAdmin

beforeAll(async () => {
  admin = await createTestAdmin()
})
afterAll(() => admin.stop())

it('has what is more than one page of a log', async () => {
  const long = updated({ productId: 9, description: 'x'.repeat(100_000) })
  await admin.logs.catalogue.append('listing-9', listed({ productId: 9 }), ...Array.from({ length: 12 }, () => long))
  const { body } = await admin.call('GET', '/api/admin/timeline/listing/9')
  expect(body).toHaveLength(13)
  expect(body.at(-1)).toMatchObject({ type: 'ListingCreated' })
})
