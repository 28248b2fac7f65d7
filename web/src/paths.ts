/** The parts of the account page; the first one has no name in its address. */
export type AccountTab = 'orders' | 'favorites' | 'settings'

/** Every address of the web app is built here. */
export const paths = {
  home: () => '/',
  products: (query: { category?: number; search?: string; type?: 'auction' | undefined } = {}) =>
    withQuery('/products', query),
  product: (productId: number) => `/products/${productId}`,
  auction: (auctionId: number) => `/auctions/${auctionId}`,
  seller: (sellerId: number) => `/sellers/${sellerId}`,
  auth: (query: { tab?: 'register'; registration?: 'success'; redirect?: string } = {}) => withQuery('/auth', query),
  login: (query: { redirect?: string } = {}) => withQuery('/login', query),
  register: () => '/register',
  profile: () => '/profile',
  account: (tab?: AccountTab) => (tab ? `/account/${tab}` : '/account'),
  messages: () => '/messages',
  sellerDashboard: () => '/seller/dashboard',
  newAuction: () => '/seller/auctions/new',
  adminDashboard: () => '/admin/dashboard',
  about: () => '/about',
  buyingGuide: () => '/buying-guide',
  authenticationGuide: () => '/authentication-guide',
  shippingGuidelines: () => '/shipping-guidelines',
  returnPolicy: () => '/return-policy',
  terms: () => '/terms-of-service',
  privacy: () => '/privacy-policy',
} as const

function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  return search.size > 0 ? `${path}?${search}` : path
}
