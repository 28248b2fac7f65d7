import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { catalogueRoutes, type ProductFacets } from '@wangian/contracts/catalogue.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rememberPlace } from '../../lib/place-memory.ts'
import { product } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import ProductsPage from './ProductsPage.tsx'

const { listProducts, listFacets } = catalogueRoutes
const facets: ProductFacets = {
  brands: Array.from({ length: 14 }, (_, place) => ({ brand: `House ${place + 1}`, count: 20 - place })),
  price: { min: 10, max: 900 },
  total: 30,
  correctedSearch: null,
}
const listing = (id: number) => ({ ...product, id, name: `Perfume ${id}`, listingType: 'fixed' as const })
const events: unknown[][] = []

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>
beforeEach(() => {
  api = mockApi()
  // Two pages, of which the second one is asked for by its cursor.
  api.answer(listProducts, ({ url }) => {
    const second = url.searchParams.get('cursor') === 'next'
    const page = second ? [listing(3)] : [listing(1), listing(2)]
    const headers = { 'x-total-count': '3', ...(!second && { link: '</api/products?cursor=next>; rel="next"' }) }
    return Response.json(page, { headers })
  })
  api.answer(listFacets, () => facets)
  events.length = 0
  window.gtag = (...event) => void events.push(event)
})
afterEach(() => {
  view.end()
  api.restore()
  delete window.gtag
  vi.restoreAllMocks()
})

/** With room for the filters beside the list, or without. */
function open(address: string, hasRoom = true): void {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    () =>
      ({ matches: hasRoom, addEventListener: () => {}, removeEventListener: () => {} }) as unknown as MediaQueryList,
  )
  view = renderAt(address, <ProductsPage />)
}
const asked = (path: string) =>
  api.received.filter(({ url }) => url.pathname === path).map(({ url }) => url.searchParams.toString())
/** By what it is called. Looking for roles in a whole page takes seconds on a busy machine. */
function control(name: string, inside: ParentNode = document): HTMLElement {
  const found = [...inside.querySelectorAll<HTMLElement>('button, article a')].find(
    (each) => plain(each.getAttribute('aria-label') ?? each.textContent) === name,
  )
  if (!found) throw new Error(`Nothing is called ${name}`)
  return found
}
const plain = (words: string | null) => (words ?? '').replaceAll('\u00A0', ' ')
const press = (name: string, inside?: ParentNode) => fireEvent.click(control(name, inside))
const findControl = (name: string) => waitFor(() => control(name))
const panel = () => document.querySelector('aside') as HTMLElement
const brandsShown = () => [...document.querySelectorAll('input[type=checkbox]')].length
const names = () => [...document.querySelectorAll('article h3')].map((name) => name.textContent)
const heading = (level: 1 | 2) => document.querySelector(`h${level}`)?.textContent

describe('the list of products', () => {
  it('begins with what is featured, and goes on page by page', async () => {
    open('/products')
    expect(await screen.findByText('3 perfumes')).toBeTruthy()
    expect(heading(1)).toBe('Explore Our Collection')
    expect(heading(2)).toBe('All Perfumes')
    expect(names()).toEqual(['Perfume 1', 'Perfume 2'])
    expect(screen.getByText('Showing 2 of 3')).toBeTruthy()
    press('Show more')
    await waitFor(() => expect(names()).toEqual(['Perfume 1', 'Perfume 2', 'Perfume 3']))
    expect(screen.queryByText('Show more')).toBeNull()
    expect(asked('/api/products')).toEqual(['sort=featured&limit=24', 'sort=featured&limit=24&cursor=next'])
  })

  it('shows once what has come to stand on a later page meanwhile, and nothing of it in the next list', async () => {
    api.answer(listProducts, ({ url }) => {
      if (url.searchParams.get('type') === 'auction') return Response.json([listing(4)])
      const second = url.searchParams.get('cursor') === 'next'
      // Somebody has bid on the first one, which is dearer now.
      return Response.json(second ? [listing(1), listing(3)] : [listing(1), listing(2)], {
        headers: second ? {} : { link: '</api/products?cursor=next>; rel="next"' },
      })
    })
    // No other test has opened more of it before.
    rememberPlace('default', { pages: 1 })
    open('/products?sort=price-asc')
    fireEvent.click(await findControl('Show more'))
    await waitFor(() => expect(names()).toEqual(['Perfume 1', 'Perfume 2', 'Perfume 3']))
    fireEvent.click(within(panel()).getByLabelText('Auction'))
    press('Apply Filters')
    await waitFor(() => expect(names()).toContain('Perfume 4'))
    expect(names()).toEqual(['Perfume 4'])
  })

  it('is called after the search, or else after the category', () => {
    open('/products?category=4&search=oud')
    expect(heading(2)).toBe('Search Results for “oud”')
    view.end()
    open('/products?category=4')
    expect(heading(2)).toBe('Niche')
  })

  it('says how it understood what was misspelt', async () => {
    api.answer(listFacets, () => ({ ...facets, correctedSearch: 'givenchy' }))
    open('/products?search=givnchy')
    expect(await screen.findByText('Showing results for “givenchy”')).toBeTruthy()
  })

  it('says nothing of the search before, be it that nothing can be said of this one', async () => {
    const later = Promise.withResolvers<Response>()
    api.answer(listFacets, ({ url }) =>
      url.searchParams.get('search') === 'oud' ? later.promise : { ...facets, correctedSearch: 'givenchy' },
    )
    open('/products?search=givnchy')
    await screen.findByText('Showing results for “givenchy”')
    fireEvent.change(document.querySelector('section input[type=search]') as HTMLElement, { target: { value: 'oud' } })
    press('Search', document.querySelector('section') as HTMLElement)
    expect(heading(2)).toBe('Search Results for “oud”')
    expect(screen.queryByText('Showing results for “givenchy”')).toBeNull()
    // What there was to choose from stays in sight until it is known what there is.
    expect(screen.getByText('30 perfumes')).toBeTruthy()
    later.resolve(refusal('unavailable'))
    await waitFor(() => expect(screen.queryByText('30 perfumes')).toBeNull())
    expect(screen.queryByText('House 1')).toBeNull()
  })

  it('goes on without a total when counting took too long', async () => {
    api.answer(listProducts, () =>
      Response.json([listing(1), listing(2)], { headers: { link: '</api/products?cursor=next>; rel="next"' } }),
    )
    api.answer(listFacets, () => refusal('unavailable'))
    open('/products')
    await findControl('Show more')
    expect(names()).toContain('Perfume 2')
    expect(screen.queryByText(/^Showing/)).toBeNull()
  })

  it('says when there is nothing, and begins anew', async () => {
    api.answer(listProducts, () => Response.json([], { headers: { 'x-total-count': '0' } }))
    open('/products?search=nothing&brand=Dior')
    expect(await screen.findByText('No products found')).toBeTruthy()
    expect(screen.getByText('Try adjusting your filters or search criteria')).toBeTruthy()
    press('Reset', document.querySelector('section') ?? undefined)
    expect(view.whereabouts()).toBe('/products')
    expect(document.activeElement?.textContent).toBe('All Perfumes')
  })

  it('can be asked for again when it did not come', async () => {
    api.answer(listProducts, () => refusal('unavailable'))
    open('/products')
    await findControl('Try Again')
    api.answer(listProducts, () => [listing(1)])
    press('Try Again')
    await waitFor(() => expect(names()).toEqual(['Perfume 1']))
  })

  it('tells analytics of searches and of what is chosen', async () => {
    open('/products?search=oud')
    await waitFor(() =>
      expect(events).toContainEqual(['event', 'search', { search_term: 'oud', search_results_count: 3 }]),
    )
    press('Perfume 2')
    const chosen = { item_id: 2, item_name: 'Perfume 2', item_list_name: 'Product list', index: 1 }
    await waitFor(() =>
      expect(events).toContainEqual(['event', 'select_item', { items: [expect.objectContaining(chosen)] }]),
    )
  })
})

describe('the filters', () => {
  it('are in force when they are applied, and in the address then', async () => {
    open('/products?search=oud')
    fireEvent.click(await screen.findByText('House 2'))
    fireEvent.click(screen.getByText('Local'))
    expect(view.whereabouts()).toBe('/products?search=oud')
    await waitFor(() => expect(asked('/api/products/facets')).toContain('category=2&brand=House+2&search=oud'))
    press('Apply Filters')
    expect(view.whereabouts()).toBe('/products?category=2&brand=House+2&search=oud')
    await waitFor(() => expect(asked('/api/products').at(-1)).toBe('category=2&brand=House+2&search=oud&limit=24'))
    expect(events).toContainEqual(['event', 'apply_filter', { filter_type: 'category', filter_value: '2' }])
    expect(events).toContainEqual(['event', 'apply_filter', { filter_type: 'brand', filter_value: 'House 2' }])
  })

  it('know a brand that was ticked by however sellers of other lists write it', async () => {
    api.answer(listFacets, ({ url }) => {
      const isOther = url.searchParams.get('category') === '2'
      return isOther ? { ...facets, brands: facets.brands.with(1, { brand: 'HOUSE-2', count: 3 }) } : facets
    })
    open('/products')
    fireEvent.click(await screen.findByText('House 2'))
    fireEvent.click(screen.getByText('Local'))
    const ticked = () => [...document.querySelectorAll('input[type=checkbox]:checked')]
    await waitFor(() => expect(ticked().map((each) => each.closest('label')?.textContent)).toEqual(['HOUSE-23']))
    expect(screen.queryByText('House 2')).toBeNull()
    fireEvent.click(screen.getByText('HOUSE-2'))
    expect(ticked()).toEqual([])
    press('Apply Filters')
    expect(view.whereabouts()).toBe('/products?category=2')
  })

  it('are taken away one by one, or all together', async () => {
    open('/products?type=auction&category=4&minPrice=50&brand=Dior')
    press('Remove the filter Auction')
    expect(view.whereabouts()).toBe('/products?category=4&minPrice=50&brand=Dior')
    press('Remove the filter RM 50 – RM 500+')
    expect(view.whereabouts()).toBe('/products?category=4&brand=Dior')
    press('Reset', panel())
    expect(view.whereabouts()).toBe('/products')
    expect(screen.getByLabelText<HTMLInputElement>('All Categories').checked).toBe(true)
  })

  it('name one price where only what is beyond the slider is shown', async () => {
    open('/products?minPrice=500')
    press('Remove the filter RM 500+')
    expect(view.whereabouts()).toBe('/products')
  })

  it('leave the focus with the list when what had it is gone', async () => {
    open('/products?type=auction&category=4')
    const chip = control('Remove the filter Auction')
    chip.focus()
    fireEvent.click(chip)
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Niche'))
    const field = document.querySelector<HTMLInputElement>('input[name=search]')
    field?.focus()
    fireEvent.change(field as HTMLInputElement, { target: { value: 'oud' } })
    fireEvent.submit(field?.form as HTMLFormElement)
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Search Results for “oud”'))
    const apply = control('Apply Filters')
    apply.focus()
    press('Apply Filters')
    expect(document.activeElement).toBe(apply)
  })

  it('that are not applied yet are taken away, too', async () => {
    open('/products')
    fireEvent.click(await screen.findByText('House 2'))
    fireEvent.click(screen.getByText('Local'))
    expect(document.querySelectorAll('input[type=checkbox]:checked')).toHaveLength(1)
    press('Reset', panel())
    expect(document.querySelectorAll('input[type=checkbox]:checked')).toHaveLength(0)
    expect(screen.getByLabelText<HTMLInputElement>('All Categories').checked).toBe(true)
    expect(view.whereabouts()).toBe('/products')
  })

  it('show the most frequent brands, all of them on request, and one by its name', async () => {
    open('/products?brand=House+12')
    await screen.findByText('House 1')
    // Eight, and the one that is ticked.
    expect(brandsShown()).toBe(9)
    press('Show all 14 brands')
    expect(brandsShown()).toBe(14)
    fireEvent.change(screen.getByLabelText('Find a brand'), { target: { value: 'hôuse 13' } })
    expect(brandsShown()).toBe(1)
  })

  it('wait in a drawer where there is no room, which says how much they find', async () => {
    open('/products?category=4', false)
    expect(panel()).toBeNull()
    press('Filters (1)')
    fireEvent.click(await screen.findByLabelText('Designer'))
    await findControl('Apply Filters (30)')
    press('Apply Filters (30)')
    expect(view.whereabouts()).toBe('/products?category=1')
  })
})
