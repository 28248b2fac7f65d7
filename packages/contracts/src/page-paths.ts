/** Every path that the web app has a page for; a part with a colon is any one part. All others are answered with 404. */
export const pagePaths = [
  '/',
  '/products',
  '/products/:productId',
  '/auctions/:auctionId',
  '/auction/:auctionId',
  '/auth',
  '/login',
  '/register',
  '/auth-callback',
  '/verify-email',
  '/auth-verify',
  '/auth/verify',
  '/reset-password',
  '/sellers/:sellerId',
  '/profile',
  '/account',
  '/account/orders',
  '/account/favorites',
  '/account/settings',
  '/account/orders/:orderId',
  '/account/boosts/:orderId',
  '/messages',
  '/seller/dashboard',
  '/seller/products/new',
  '/seller/products/:productId/edit',
  '/seller/products/:productId/relist',
  '/seller/auctions/new',
  '/boost-checkout',
  '/admin/dashboard',
  '/admin/users/:userId',
  '/admin/orders/:orderId',
  '/admin/listings/:productId',
  '/dev/ui',
  '/terms-of-service',
  '/privacy-policy',
  '/buying-guide',
  '/authentication-guide',
  '/shipping-guidelines',
  '/return-policy',
  '/about',
] as const

const page = new RegExp(`^(${pagePaths.map((path) => path.replace(/:\w+/g, '[^/]+')).join('|')})/?$`, 'i')

/** Whether the web app has a page there. Like the app's router it takes large letters for small ones, and a slash at the end for none. */
export function isPagePath(pathname: string): boolean {
  return page.test(pathname)
}
