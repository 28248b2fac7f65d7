import { route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Copies, prefixesOf } from './upstreams.ts'

const at = (path: string) =>
  route({ method: 'GET', path, access: 'public', summary: 'For the test', answers: { 200: z.object({}) } })

describe('the prefixes of the contracts', () => {
  const prefixes = prefixesOf(routesByService)

  it.each(
    Object.entries(routesByService).flatMap(([service, routes]) =>
      Object.values(routes).map(({ path }) => [path, service] as const),
    ),
  )('%s belongs to %s, and to nobody else', (path, service) => {
    const found = [...prefixes].filter(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))
    const [longest] = found.toSorted(([one], [other]) => other.length - one.length)
    expect(longest?.[1]).toBe(service)
  })

  it('are fixed names below /api', () => {
    for (const prefix of prefixes.keys()) expect(prefix).toMatch(/^\/api(\/[a-z0-9-]+){1,2}$/)
  })
})

describe('prefixes', () => {
  it('are shared by the routes of one service', () => {
    const shop = { list: at('/api/bottles'), get: at('/api/bottles/:id'), buy: at('/api/orders/:id/buy') }
    expect([...prefixesOf({ shop })]).toEqual([
      ['/api/bottles', 'shop'],
      ['/api/orders', 'shop'],
    ])
  })

  it('are longer where several services share them', () => {
    const shop = { list: at('/api/bottles'), get: at('/api/bottles/:id'), orders: at('/api/back/orders/:id') }
    const bar = { all: at('/api/bottles/all'), guests: at('/api/back/guests') }
    expect([...prefixesOf({ shop, bar })]).toEqual([
      ['/api/bottles', 'shop'],
      ['/api/back/orders', 'shop'],
      ['/api/bottles/all', 'bar'],
      ['/api/back/guests', 'bar'],
    ])
  })

  it('cannot be shared by two services', () => {
    expect(() => prefixesOf({ shop: { get: at('/api/bottles/:id') }, bar: { list: at('/api/bottles') } })).toThrow(
      '/api/bottles belongs to both shop and bar',
    )
  })
})

describe('the copies of a service', () => {
  it('take turns', () => {
    const copies = new Copies(['a', 'b', 'c'])
    expect([copies.take(0), copies.take(0), copies.take(0), copies.take(0)]).toEqual(['a', 'b', 'c', 'a'])
  })

  it('are passed over for a second when they are out of reach', () => {
    const copies = new Copies(['a', 'b', 'c'])
    copies.avoid('b', 0)
    expect([copies.take(0), copies.take(0), copies.take(999), copies.take(999)]).toEqual(['a', 'c', 'a', 'c'])
    expect([copies.take(1000), copies.take(1000)]).toEqual(['a', 'b'])
  })

  it('leave out one that cannot answer, if another can be asked', () => {
    const copies = new Copies(['a', 'b', 'c'])
    copies.avoid('b', 0)
    expect([copies.take(1, 'a'), copies.take(1, 'c')]).toEqual(['c', 'a'])
    expect([copies.hasOther('a', 1), copies.hasOther('c', 1)]).toEqual([true, true])
    copies.avoid('c', 0)
    expect([copies.hasOther('a', 1), copies.hasOther('a', 1000)]).toEqual([false, true])
    expect(new Copies(['a']).take(1, 'a')).toBe('a')
  })

  it('are tried all the same when none is in reach', () => {
    const copies = new Copies(['a', 'b'])
    copies.avoid('a', 0)
    copies.avoid('b', 0)
    expect([copies.take(1), copies.take(1), copies.take(1)]).toEqual(['a', 'b', 'a'])
  })

  it('come and go: one that is new waits until it is known to be ready', () => {
    const copies = new Copies(['a', 'b'])
    copies.replace(['b', 'c'])
    expect([copies.take(1e9), copies.take(1e9)]).toEqual(['b', 'b'])
    expect(copies.avoided(1e9)).toEqual(['c'])
    copies.judge('c', true)
    expect([copies.take(1e9), copies.take(1e9)].sort()).toEqual(['b', 'c'])
    copies.judge('c', false)
    copies.judge('a', false)
    expect([copies.take(1e9), copies.take(1e9)]).toEqual(['b', 'b'])
    copies.replace([])
    expect(copies.count).toBe(2)
  })

  it('are at least one', () => {
    expect(() => new Copies([])).toThrow('at least one')
  })
})
