import { Seller } from '@wangian/contracts/account.ts'
import { sql } from '@wangian/kit/postgres.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findUserId } from './store.ts'
import { createTestIdentity, signUp, type TestIdentity } from './testing/test-identity.ts'

let identity: TestIdentity
beforeAll(async () => {
  identity = await createTestIdentity()
})
afterAll(() => identity.stop())

async function register(username: string): Promise<number> {
  await signUp(identity.app, username)
  return (await findUserId(identity.database.pool, username)) ?? 0
}

const get = (id: number | string) => identity.app.inject({ method: 'GET', url: `/api/sellers/${id}` })

describe('a profile', () => {
  it('is what everybody may know, and nothing more', async () => {
    const id = await register('sarah')
    await identity.database.pool.query(sql.unsafe`
      update people set shop_name = 'Scent Cabinet', location = 'Ipoh', bio = 'Bottles.', address = 'Private lane'
       where user_id = ${id}`)
    const response = await get(id)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({
      id,
      username: 'sarah',
      shopName: 'Scent Cabinet',
      location: 'Ipoh',
      bio: 'Bottles.',
      profileImage: null,
      coverPhoto: null,
      isSeller: true,
      isVerified: true,
      createdAt: expect.any(String),
    })
    expect(Seller.parse(response.json())).toEqual(response.json())
  })

  it.each([
    ['Mei', 'Tan', "Mei Tan's Shop"],
    ['Mei', null, "Mei's Shop"],
    [null, null, 'nameless'],
  ])('of %s %s without a shop name is called %s', async (firstName, lastName, shopName) => {
    const id = (await findUserId(identity.database.pool, 'nameless')) ?? (await register('nameless'))
    await identity.database.pool.query(sql.unsafe`
      update people set first_name = ${firstName}, last_name = ${lastName} where user_id = ${id}`)
    expect((await get(id)).json()).toMatchObject({ shopName })
  })

  it.each([
    ['suspended', sql.fragment`is_banned = true`],
    ['gone', sql.fragment`closed_at = now()`],
  ])('of somebody who is %s is not found', async (name, change) => {
    const id = await register(name)
    await identity.database.pool.query(sql.unsafe`update users set ${change} where id = ${id}`)
    const response = await get(id)
    expect(response.statusCode).toBe(404)
    expect(response.json()).toMatchObject({ code: 'seller-not-found', message: 'Seller not found' })
  })

  it.each([
    ['999999', 404],
    ['0', 400],
    ['1e3', 400],
    ['01', 400],
  ])('number %s answers %i', async (id, status) => {
    expect((await get(id)).statusCode).toBe(status)
  })
})
