import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { type BoostPackage, type BoostPayment, boostRoutes } from '@wangian/contracts/boost.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { type BoostableProduct, sellingRoutes } from '@wangian/contracts/selling.ts'
import { Link, Route, Routes, useNavigate } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { boostPackage, boostPayment, currentUser } from '../../../testing/fixtures.ts'
import { mockApi, refusal } from '../../../testing/mock-api.ts'
import { renderAt } from '../../../testing/render.tsx'
import { toldEvents } from '../../../testing/told-events.ts'
import CheckoutPage from './CheckoutPage.tsx'
import { fromDashboard } from './checkout.ts'

const sarah = { id: 3, username: 'sarah', isSeller: true }
const bottle = (id: number, name: string, fields: Partial<BoostableProduct> = {}): BoostableProduct => ({
  id,
  name,
  price: 12_345,
  status: 'active',
  image_url: null,
  is_featured: false,
  ...fields,
})

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>
let assign: MockInstance<typeof window.location.assign>

beforeEach(() => {
  assign = vi.spyOn(window.location, 'assign').mockImplementation(() => {})
  api = mockApi()
  api.answer(identityRoutes.me, () => ({ ...currentUser, ...sarah }))
  api.answer(boostRoutes.listPackages, () => [
    boostPackage(1, 1),
    boostPackage(2, 3),
    boostPackage(5, 1),
    boostPackage(6, 3),
  ])
  api.answer(boostRoutes.listPayments, () => [])
  products(
    bottle(7, 'Oud Wood'),
    bottle(8, 'Rose 31', { is_featured: true, status: 'featured' }),
    bottle(9, 'Jazz Club'),
    bottle(10, 'Santal'),
    bottle(11, 'Sold One', { status: 'sold' }),
  )
})
afterEach(() => {
  view?.end()
  api.restore()
  assign.mockRestore()
})

/** The own products, narrowed and paged as the server does it. */
function products(...list: BoostableProduct[]): void {
  api.answer(sellingRoutes.listOwnProducts, ({ url: { searchParams } }) => {
    const named = searchParams.getAll('productId').map(Number)
    const words = (searchParams.get('search') ?? '').split(' ')
    const found = list.filter(
      ({ id, name, status }) =>
        (searchParams.get('status') !== 'active' || status === 'active' || status === 'featured') &&
        (named.length === 0 || named.includes(id)) &&
        words.every((word) => name.toLowerCase().includes(word)),
    )
    const limit = Number(searchParams.get('limit') ?? 100)
    const start = Number(searchParams.get('cursor') ?? 0)
    const headers = new Headers({ 'x-total-count': String(found.length) })
    if (start + limit < found.length) headers.set('link', `</api/seller/products?cursor=${start + limit}>; rel="next"`)
    return Response.json(found.slice(start, start + limit), { headers })
  })
}

function waiting(...list: BoostPayment[]): void {
  api.answer(boostRoutes.listPayments, () => list)
}

const open = (address = '/boost-checkout') => {
  view = renderAt(
    address,
    <Routes>
      <Route path="/boost-checkout" element={<CheckoutPage />} />
      <Route path="*" element={null} />
    </Routes>,
    sarah,
  )
}
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const box = (name: RegExp) => screen.findByRole('checkbox', { name })
const isAt = (address: string) => waitFor(() => expect(view.whereabouts()).toBe(address))

describe('the first step', () => {
  it('shows the standard packages apart from the premium ones, four places while they load', async () => {
    let answer = (_: BoostPackage[]) => {}
    api.answer(boostRoutes.listPackages, () => new Promise<BoostPackage[]>((resolve) => (answer = resolve)))
    open()
    await waitFor(() => expect(document.querySelectorAll('[aria-busy] > li')).toHaveLength(4))
    answer([boostPackage(1, 1), boostPackage(2, 3), boostPackage(6, 3)])
    const single = (await screen.findByRole('heading', { name: 'Package 1' })).closest('li') as HTMLElement
    expect(single).toHaveTextContent('RM 9.00')
    expect(single).toHaveTextContent('1 Product · 3 days')
    expect(single).not.toHaveTextContent('Effective price')
    const three = screen.getByRole('heading', { name: 'Package 2' }).closest('li') as HTMLElement
    expect(three).toHaveTextContent('RM 27.00')
    expect(three).toHaveTextContent('3 Products · 3 days')
    expect(three).toHaveTextContent('Effective price: RM 9.00 per product')
    const features = () => within(screen.getAllByRole('list').at(-1) as HTMLElement).getAllByRole('listitem')
    expect(features().map((item) => item.textContent)).toEqual(['Homepage feature', 'Priority in search results'])

    fireEvent.click(screen.getByRole('tab', { name: 'Premium Boost' }))
    await isAt('/boost-checkout?type=premium')
    await screen.findByRole('heading', { name: 'Package 6' })
    expect(features().map((item) => item.textContent)).toEqual([
      'Homepage feature',
      'Priority in search results',
      'Extended visibility',
      'Enhanced product badge',
    ])
  })

  it('alone tells analytics that the packages are looked at, once they are', async () => {
    const events = toldEvents()
    open('/boost-checkout?package=1&products=7')
    await screen.findByRole('heading', { name: 'Order Summary' })
    expect(events).toEqual([])
    view.end()
    open()
    await screen.findByText('Package 1')
    expect(events).toEqual(['view_boost_packages'])
    fireEvent.click(screen.getByRole('tab', { name: 'Premium Boost' }))
    await screen.findByText('Package 5')
    expect(events).toHaveLength(1)
  })

  it('says that the packages cannot be read, and tries again', async () => {
    api.answer(boostRoutes.listPackages, () => refusal('unavailable'))
    open()
    expect(await screen.findByText('Error loading boost packages. Please try again.')).toBeInTheDocument()
    api.answer(boostRoutes.listPackages, () => [boostPackage(1, 1)])
    press('Try Again')
    expect(await screen.findByText('Package 1')).toBeInTheDocument()
  })

  it('opens for a package that there is not, and says so', async () => {
    open('/boost-checkout?package=99&products=7&step=checkout')
    await screen.findByText('Package 1')
    expect(view.toasts).toMatchObject([{ title: 'Invalid package', tone: 'destructive' }])
  })
})

describe('the second step', () => {
  it('takes as many active products as the package is for', async () => {
    open()
    await screen.findByText('Package 2')
    press('Select Package: Package 2')
    await isAt('/boost-checkout?package=2&step=select-products')
    expect(await screen.findByRole('heading', { name: 'Select 3 Products to Boost' })).toBeInTheDocument()
    fireEvent.click(await box(/Oud Wood\s+RM\s123.45$/))
    expect(screen.queryByRole('checkbox', { name: /Sold One/ })).toBeNull()
    expect(screen.getByText('1 of 3 selected')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Continue' })).toBeDisabled()
    fireEvent.click(await box(/Rose 31\s+RM\s123.45 Currently Featured/))
    fireEvent.click(await box(/Jazz Club/))
    expect(screen.getByText('3 of 3 selected')).toBeInTheDocument()
    expect(await box(/Santal/)).toBeDisabled()
    fireEvent.click(await box(/Oud Wood/))
    expect(await box(/Santal/)).toBeEnabled()
    fireEvent.click(await box(/Oud Wood/))
    press('Continue')
    await isAt('/boost-checkout?products=8%2C9%2C7&package=2&step=checkout')
    expect(await screen.findByRole('heading', { name: 'Order Summary' })).toBeInTheDocument()
  })

  it('keeps the first of two quick ticks', async () => {
    open('/boost-checkout?package=2')
    const [first, second] = [await box(/Oud Wood/), await box(/Jazz Club/)]
    act(() => {
      first.click()
      second.click()
    })
    expect(await screen.findByText('2 of 3 selected')).toBeInTheDocument()
    await isAt('/boost-checkout?products=7%2C9&package=2&step=select-products')
  })

  it('finds a product among hundreds, and asks for fifty at a time', async () => {
    const many = Array.from({ length: 70 }, (_, index) => bottle(100 + index, `Bottle ${index + 1}`))
    products(...many, bottle(7, 'Crème de Oud'))
    open('/boost-checkout?package=2&products=165,7&step=select-products')
    // Roles of so many take their time.
    const boxes = () => [...document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')]
    // What one came with stands first, from whichever page.
    await waitFor(() => expect(boxes()).toHaveLength(52))
    expect(
      boxes()
        .slice(0, 3)
        .map(({ checked }) => checked),
    ).toEqual([true, true, false])
    const more = screen.getByText('Show more')
    fireEvent.click(more)
    await waitFor(() => expect(boxes()).toHaveLength(71))
    expect(boxes()[52]).toHaveFocus()
    expect(more).not.toBeInTheDocument()
    const search = screen.getByRole('searchbox', { name: 'Search your products' })
    fireEvent.change(search, { target: { value: 'oud de' } })
    await waitFor(() => expect(boxes()).toHaveLength(1))
    expect(screen.getByText('1 product found')).toBeInTheDocument()
    fireEvent.click(boxes()[0] as HTMLElement)
    expect(screen.getByText('1 of 3 selected')).toBeInTheDocument()
    fireEvent.change(search, { target: { value: 'bottle 3' } })
    await waitFor(() => expect(boxes()).toHaveLength(16))
    fireEvent.click(boxes()[0] as HTMLElement)
    fireEvent.change(search, { target: { value: 'rose' } })
    expect(await screen.findByText('None of your active products has “rose” in its brand or name.')).toBeInTheDocument()
    // What is ticked stays so, whether or not it is seen.
    expect(screen.getByText('2 of 3 selected')).toBeInTheDocument()
    await isAt('/boost-checkout?products=165%2C102&package=2&step=select-products')
    expect(new Set(api.received.map(({ url }) => url.searchParams.get('limit')).filter(Boolean))).toEqual(
      new Set(['50', '100']),
    )
  })

  it('says that a search could not be made, and tries it again', async () => {
    const many = Array.from({ length: 9 }, (_, index) => bottle(100 + index, `Bottle ${index + 1}`))
    products(...many)
    open('/boost-checkout?package=1')
    await box(/Bottle 9/)
    api.answer(sellingRoutes.listOwnProducts, () => refusal('unavailable'))
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search your products' }), { target: { value: '9' } })
    expect(await screen.findByText('Error loading your products. Please try again.')).toBeInTheDocument()
    products(...many)
    press('Try Again')
    await waitFor(() => expect(screen.getAllByRole('checkbox')).toHaveLength(1))
  })

  it('has five places while the products load, and says that they cannot be read', async () => {
    let answer = (_: Response) => {}
    api.answer(sellingRoutes.listOwnProducts, () => new Promise<Response>((resolve) => (answer = resolve)))
    open('/boost-checkout?package=1')
    await waitFor(() => expect(document.querySelectorAll('[aria-busy] > li')).toHaveLength(5))
    answer(refusal('unavailable'))
    expect(await screen.findByText('Error loading your products. Please try again.')).toBeInTheDocument()
    products(bottle(7, 'Oud Wood'))
    press('Try Again')
    await box(/Oud Wood/)
  })

  it('says that there is nothing to boost', async () => {
    products(bottle(11, 'Sold One', { status: 'sold' }))
    open('/boost-checkout?package=1')
    expect(await screen.findByText("You don't have any active products to boost.")).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Go Back' })).toHaveAttribute('href', '/seller/dashboard')
  })

  it('does not go on with too many, or with what can no longer be boosted', async () => {
    open('/boost-checkout?package=1&products=7,8,11')
    expect(await screen.findByText('2 of 1 selected')).toBeInTheDocument()
    expect(screen.getByText(/requires exactly 1 product. You have selected 2./)).toBeInTheDocument()
    expect(screen.getByText(/^1 of the products that you chose/)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Continue' })).toBeDisabled()
    fireEvent.click(await box(/Oud Wood/))
    await isAt('/boost-checkout?products=8&package=1&step=select-products')
    expect(screen.getByRole('button', { name: 'Continue' })).toBeEnabled()
  })

  it('leaves out what waits in another order', async () => {
    waiting(boostPayment())
    open('/boost-checkout?package=1')
    await waitFor(async () => expect(await box(/Oud Wood/)).toBeDisabled())
    expect(screen.getByText('In an order that waits for its payment.')).toBeInTheDocument()
  })
})

describe('going back', () => {
  it('goes one step, and loses nothing', async () => {
    open('/boost-checkout?products=7&package=5')
    await screen.findByRole('heading', { name: 'Order Summary' })
    press('Back')
    await isAt('/boost-checkout?products=7&package=5&step=select-products')
    expect(await box(/Oud Wood/)).toBeChecked()
    press('Back')
    await isAt('/boost-checkout?products=7&type=premium')
    await screen.findByRole('heading', { name: 'Package 5' })
    press('Select Package: Package 5')
    expect(await box(/Oud Wood/)).toBeChecked()
    press('Back')
    await screen.findByRole('heading', { name: 'Package 5' })
    press('Back')
    await isAt('/seller/dashboard')
  })
})

let browserGoes: (steps: number) => void

/** The browser's own Back and Forward. */
function Browser() {
  const navigate = useNavigate()
  browserGoes = (steps) => act(() => void navigate(steps))
  return null
}

describe('going back by the page and by the browser', () => {
  const openFromDashboard = (address: string) => {
    view = renderAt(
      '/seller/dashboard?tab=boosted',
      <>
        <Browser />
        <Routes>
          <Route path="/boost-checkout" element={<CheckoutPage />} />
          <Route
            path="*"
            element={
              <Link to={address} state={fromDashboard}>
                Boost
              </Link>
            }
          />
        </Routes>
      </>,
      sarah,
    )
    fireEvent.click(screen.getByRole('link', { name: 'Boost' }))
  }
  const single = { name: 'Select 1 Product to Boost' }

  it('leads the same way, and from either on to where one came from', async () => {
    openFromDashboard('/boost-checkout')
    await screen.findByText('Package 1')
    press('Select Package: Package 1')
    fireEvent.click(await box(/Oud Wood/))
    await isAt('/boost-checkout?products=7&package=1&step=select-products')
    press('Continue')
    await screen.findByRole('heading', { name: 'Order Summary' })
    press('Back')
    await screen.findByRole('heading', single)
    expect(await box(/Oud Wood/)).toBeChecked()
    browserGoes(-1)
    await screen.findByText('Package 1')
    press('Select Package: Package 1')
    // What was ticked is kept, whoever went back.
    expect(await box(/Oud Wood/)).toBeChecked()
    browserGoes(-1)
    await screen.findByText('Package 1')
    press('Back')
    await isAt('/seller/dashboard?tab=boosted')
    browserGoes(1)
    await isAt('/boost-checkout?products=7')
  })

  it('leaves no step behind where one came to a later one', async () => {
    openFromDashboard('/boost-checkout?products=7&package=1')
    await screen.findByRole('heading', { name: 'Order Summary' })
    press('Back')
    await screen.findByRole('heading', single)
    press('Back')
    await screen.findByText('Package 1')
    browserGoes(-1)
    await isAt('/seller/dashboard?tab=boosted')
  })
})

describe('the third step', () => {
  const summary = async (address = '/boost-checkout?products=7,9,10&package=2') => {
    open(address)
    await screen.findByRole('heading', { name: 'Order Summary' })
  }
  const placed = { orderId: boostPayment().orderId, paymentUrl: 'http://pay.test/bills/1' }
  const orders = () => api.received.filter(({ url }) => url.pathname === '/api/boost/create-order')

  it('sums up, orders once whatever is clicked, and leads to the payment', async () => {
    api.answer(boostRoutes.createOrder, () => placed)
    await summary()
    for (const [label, value] of [
      ['Package', 'Package 2'],
      ['Duration', '3 days'],
      ['Number of products', '3'],
    ] as const) {
      expect(screen.getByText(label).nextElementSibling).toHaveTextContent(value)
    }
    expect(screen.getByText('Total').nextElementSibling).toHaveTextContent('RM 27.00')
    const button = screen.getByRole('button', { name: 'Proceed to Payment' })
    fireEvent.click(button)
    fireEvent.click(button)
    expect(view.toasts).toMatchObject([{ title: 'Processing your request' }])
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('http://pay.test/bills/1'))
    expect(orders()).toHaveLength(1)
    expect(orders()[0]?.body).toMatchObject({ boostPackageId: 2, productIds: [7, 9, 10] })
    // Until the page is left, too.
    fireEvent.click(button)
    expect(orders()).toHaveLength(1)
  })

  it('asks for the same order again when the page is shown once more', async () => {
    api.answer(boostRoutes.createOrder, () => placed)
    await summary()
    press('Proceed to Payment')
    await waitFor(() => expect(assign).toHaveBeenCalled())
    fireEvent(window, Object.assign(new Event('pageshow'), { persisted: true }))
    press('Proceed to Payment')
    await waitFor(() => expect(orders()).toHaveLength(2))
    const [first, second] = orders().map(({ body }) => (body as { requestKey: string }).requestKey)
    expect(second).toBe(first)
  })

  it('asks for another order when it is boosted another time', async () => {
    api.answer(boostRoutes.createOrder, () => placed)
    await summary()
    press('Proceed to Payment')
    await waitFor(() => expect(orders()).toHaveLength(1))
    fireEvent(window, Object.assign(new Event('pageshow'), { persisted: true }))
    press('Back')
    await screen.findByRole('heading', { name: 'Select 3 Products to Boost' })
    await waitFor(() => expect(screen.getByRole('button', { name: 'Continue' })).toBeEnabled())
    press('Continue')
    await screen.findByRole('heading', { name: 'Order Summary' })
    press('Proceed to Payment')
    await waitFor(() => expect(orders()).toHaveLength(2))
    const [first, second] = orders().map(({ body }) => (body as { requestKey: string }).requestKey)
    expect(second).not.toBe(first)
  })

  it('goes on with an order that waits for its payment', async () => {
    // The package has become dearer since.
    waiting(boostPayment({ boostOptionId: 2, productIds: [10, 9, 7], amount: 2_500 }))
    api.answer(boostRoutes.payOrder, () => placed)
    await summary()
    expect(await screen.findByText(/You have ordered this already/)).toBeInTheDocument()
    expect(screen.getByText('Total').nextElementSibling).toHaveTextContent('RM 25.00')
    press('Proceed to Payment')
    await waitFor(() => expect(assign).toHaveBeenCalledWith('http://pay.test/bills/1'))
    expect(orders()).toHaveLength(0)
  })

  it('does not order what waits in another order', async () => {
    waiting(boostPayment())
    await summary()
    expect(await screen.findByText(/In another order that waits for its payment: Oud Wood/)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Proceed to Payment' })).toBeDisabled()
  })

  it.each([
    [
      'product-count-mismatch',
      'Product count mismatch',
      'This package requires exactly 3 products. You have selected 3.',
    ],
    ['invalid-package', 'Invalid package', undefined],
    ['no-products-selected', 'No products selected', undefined],
    ['product-sold', 'Error creating boost order', 'This product is sold'],
    ['payment-not-configured', 'Error creating boost order', 'Payment is not configured.'],
  ] as const)('says why it cannot be ordered: %s', async (code, title, description) => {
    api.answer(boostRoutes.createOrder, () => refusal(code))
    await summary()
    press('Proceed to Payment')
    await waitFor(() => expect(view.toasts.at(-1)).toEqual({ title, description, tone: 'destructive' }))
    expect(screen.getByRole('button', { name: 'Proceed to Payment' })).not.toHaveAttribute('aria-disabled')
    expect(assign).not.toHaveBeenCalled()
  })

  it('says once how many products a package is for that has just changed', async () => {
    const text = 'This package requires exactly 5 products. You have selected 3.'
    api.answer(boostRoutes.createOrder, () =>
      Response.json(
        {
          code: 'product-count-mismatch',
          message: `Product count mismatch. ${text}`,
          requestId: 'request-1',
          details: { required: 5, selected: 3 },
        },
        { status: 400 },
      ),
    )
    await summary()
    press('Proceed to Payment')
    await waitFor(() =>
      expect(view.toasts.at(-1)).toEqual({ title: 'Product count mismatch', description: text, tone: 'destructive' }),
    )
  })

  it('asks to try again later when nothing is known', async () => {
    api.answer(boostRoutes.createOrder, () => new Response('', { status: 500 }))
    await summary()
    press('Proceed to Payment')
    await waitFor(() =>
      expect(view.toasts.at(-1)).toMatchObject({
        title: 'Error creating boost order',
        description: 'Please try again later',
      }),
    )
  })

  it('leads to the payments when nothing says where it is paid', async () => {
    api.answer(boostRoutes.createOrder, () => Response.json({ orderId: placed.orderId }, { status: 201 }))
    await summary()
    press('Proceed to Payment')
    await isAt('/seller/dashboard?tab=boosted')
    expect(view.toasts.at(-1)).toMatchObject({ title: 'Payment URL not received' })
  })
})
