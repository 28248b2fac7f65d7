/** The parts of the account page; the first one has no name in its address. */
export type AccountTab = 'orders' | 'favorites' | 'settings'

/** The parts of the seller dashboard; the first one has no name in its address. */
export type DashboardTab = 'boosted' | 'analytics' | 'settings'

/** The parts of the admin dashboard; the first one, the users, has no name in its address. */
export type AdminTab = 'orders' | 'listings' | 'payments' | 'reports' | 'bidders' | 'activity' | 'system'

/** What a table of the admin dashboard shows. `page` counts from 1, and its rows begin where `cursor` says. */
export type AdminAddress = {
  search?: string | undefined
  status?: string | undefined
  role?: string | undefined
  kind?: string | undefined
  action?: string | undefined
  sort?: string | undefined
  /** Of whom, or of what, it shows. */
  user?: number | undefined
  product?: number | undefined
  /** By whom reports are. */
  reporter?: number | undefined
  page?: number | undefined
  cursor?: string | undefined
}

/** What the sign-in screen can be opened with: a tab, news to show, and where to go on to. */
type AuthQuery = {
  tab?: 'register'
  registration?: 'success'
  reset?: 'requested'
  verified?: 'true'
  redirect?: string | undefined
}

/** What the list of products shows. A brand may be repeated. */
export type ProductsAddress = {
  category?: number | undefined
  search?: string | undefined
  type?: string | undefined
  minPrice?: number | undefined
  maxPrice?: number | undefined
  minRemaining?: number | undefined
  brand?: readonly string[] | undefined
  sort?: string | undefined
}

/** What has been chosen of a boost, and which step is open; without a step, the first one that lacks something. */
export type BoostCheckoutAddress = {
  products?: readonly number[] | undefined
  package?: number | undefined
  step?: 'select-package' | 'select-products' | 'checkout' | undefined
  type?: 'premium' | undefined
}

/** Every address of the web app is built here. */
export const paths = {
  home: () => '/',
  products: (query: ProductsAddress = {}) => withQuery('/products', query),
  product: (productId: number) => `/products/${productId}`,
  auction: (auctionId: number) => `/auctions/${auctionId}`,
  seller: (sellerId: number, query: { tab?: 'reviews' } = {}) => withQuery(`/sellers/${sellerId}`, query),
  auth: (query: AuthQuery = {}) => withQuery('/auth', query),
  login: (query: { redirect?: string } = {}) => withQuery('/login', query),
  register: () => '/register',
  authCallback: () => '/auth-callback',
  resetPassword: () => '/reset-password',
  profile: () => '/profile',
  account: (tab?: AccountTab) => (tab ? `/account/${tab}` : '/account'),
  /** What somebody has bought, or sold. */
  orders: (side: 'bought' | 'sold') => withQuery('/account/orders', { show: side === 'sold' ? side : undefined }),
  /** One order as a receipt. */
  order: (orderId: number) => `/account/orders/${orderId}`,
  messages: () => '/messages',
  /** The conversation with somebody, about a product. */
  conversation: (userId: number, productId?: number) => withQuery('/messages', { with: userId, product: productId }),
  sellerDashboard: (
    tab?: DashboardTab,
    query: { search?: string; page?: number | undefined; days?: number | undefined } = {},
  ) => withQuery('/seller/dashboard', { tab, ...query }),
  /** With what was chosen already: the products to boost, and a package for so many. */
  boostCheckout: (chosen: BoostCheckoutAddress = {}) =>
    withQuery('/boost-checkout', { ...chosen, products: chosen.products?.join() }),
  /** One order of a boost as a receipt. */
  boostReceipt: (orderId: string) => `/account/boosts/${orderId}`,
  /** The form of a new listing, at a price or by auction. */
  newProduct: (type: 'fixed' | 'auction') => withQuery('/seller/products/new', { type }),
  editProduct: (productId: number) => `/seller/products/${productId}/edit`,
  /** Another auction for a product whose last one has ended without a winner, or was cancelled. */
  relistProduct: (productId: number) => `/seller/products/${productId}/relist`,
  adminDashboard: (tab?: AdminTab, query: AdminAddress = {}) => withQuery('/admin/dashboard', { tab, ...query }),
  /** Somebody, an order and a listing as administrators see them. */
  adminUser: (userId: number) => `/admin/users/${userId}`,
  adminOrder: (orderId: number) => `/admin/orders/${orderId}`,
  adminListing: (productId: number) => `/admin/listings/${productId}`,
  about: () => '/about',
  buyingGuide: () => '/buying-guide',
  authenticationGuide: () => '/authentication-guide',
  shippingGuidelines: () => '/shipping-guidelines',
  returnPolicy: () => '/return-policy',
  terms: () => '/terms-of-service',
  privacy: () => '/privacy-policy',
} as const

type QueryValue = string | number | readonly string[] | undefined

function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    for (const each of typeof value === 'object' ? value : [value]) search.append(name, String(each))
  }
  return search.size > 0 ? `${path}?${search}` : path
}
