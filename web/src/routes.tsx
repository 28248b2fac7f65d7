import type { ComponentType } from 'react'
import { createRoutesFromElements, matchRoutes, Navigate, Route, Routes } from 'react-router-dom'
import HomePage from './features/home/HomePage.tsx'
import { loadAdminWords, loadGuides, loadWords } from './i18n/i18n.ts'
import { RootLayout } from './layouts/RootLayout.tsx'
import { type LazyPage, lazyPage } from './lib/lazy-part.ts'
import { useTranslation } from './lib/use-translation.ts'
import { paths } from './paths.ts'

/** A page, with the words that it needs. */
function page<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazyPage(async () => (await Promise.all([load(), loadWords()]))[0])
}

/** A page of text. */
function guidePage<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazyPage(async () => (await Promise.all([load(), loadWords(), loadGuides()]))[0])
}

/** A page for administrators, with theirs. */
function adminPage<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazyPage(async () => (await Promise.all([load(), loadWords(), loadAdminWords()]))[0])
}

/** Most visits need none of what it guards. */
const GuardedPage = page(() => import('./layouts/GuardedPage.tsx'))
const NotFoundPage = page(() => import('./layouts/NotFoundPage.tsx'))
const ProductsPage = page(() => import('./features/catalogue/ProductsPage.tsx'))
const ProductPage = page(() => import('./features/catalogue/ProductPage.tsx'))
const AuctionPage = page(() => import('./features/auction/AuctionPage.tsx'))
const AuthPage = page(() => import('./features/auth/AuthPage.tsx'))
const AuthCallbackPage = page(() => import('./features/auth/AuthCallbackPage.tsx'))
const VerifyEmailPage = page(() => import('./features/auth/VerifyEmailPage.tsx'))
const ResetPasswordPage = page(() => import('./features/auth/ResetPasswordPage.tsx'))
const MessagesPage = page(() => import('./features/messaging/MessagesPage.tsx'))
const ShopPage = page(() => import('./features/shop/ShopPage.tsx'))
const ProfileRedirectPage = page(() => import('./features/account/ProfileRedirectPage.tsx'))
const AccountPage = page(() => import('./features/account/AccountPage.tsx'))
const OverviewPage = page(() => import('./features/account/OverviewPage.tsx'))
const OrdersPage = page(() => import('./features/account/OrdersPage.tsx'))
const ReceiptPage = page(() => import('./features/account/ReceiptPage.tsx'))
const FavoritesPage = page(() => import('./features/catalogue/FavoritesPage.tsx'))
const SettingsPage = page(() => import('./features/account/SettingsPage.tsx'))
const TermsPage = guidePage(() => import('./features/guides/TermsPage.tsx'))
const PrivacyPage = guidePage(() => import('./features/guides/PrivacyPage.tsx'))
const BuyingGuidePage = guidePage(() => import('./features/guides/BuyingGuidePage.tsx'))
const AuthenticationGuidePage = guidePage(() => import('./features/guides/AuthenticationGuidePage.tsx'))
const ShippingPage = guidePage(() => import('./features/guides/ShippingPage.tsx'))
const ReturnsPage = guidePage(() => import('./features/guides/ReturnsPage.tsx'))
const AboutPage = guidePage(() => import('./features/guides/AboutPage.tsx'))
const DashboardPage = page(() => import('./features/selling/dashboard/DashboardPage.tsx'))
const NewListingPage = page(() => import('./features/selling/NewListingPage.tsx'))
const EditListingPage = page(() => import('./features/selling/EditListingPage.tsx'))
const RelistPage = page(() => import('./features/selling/RelistPage.tsx'))
const CheckoutPage = page(() => import('./features/selling/boost/CheckoutPage.tsx'))
const BoostReceiptPage = page(() => import('./features/selling/boost/BoostReceiptPage.tsx'))
const AdminPage = adminPage(() => import('./features/admin/AdminPage.tsx'))
const AdminUserPage = adminPage(() => import('./features/admin/UserPage.tsx'))
const AdminOrderPage = adminPage(() => import('./features/admin/OrderPage.tsx'))
const AdminListingPage = adminPage(() => import('./features/admin/ListingPage.tsx'))
/** For those who work on the app: what ends up in production is built without it. */
const UiPage = import.meta.env.DEV || import.meta.env.WITH_DEV_PAGES ? page(() => import('./dev/UiPage.tsx')) : null

export function AppRoutes() {
  // Another language is shown by rendering everything anew, also what only formats dates.
  useTranslation()
  return <Routes>{mapOfApp()}</Routes>
}

/** Loads what is shown at a path, so that the page is rendered without waiting for anything. */
export async function preloadPage(pathname: string): Promise<void> {
  const matches = matchRoutes(createRoutesFromElements(mapOfApp()), pathname) ?? []
  await Promise.all(matches.map(({ route }) => (route.element as ElementOfPage | undefined)?.type.preload?.()))
}

interface ElementOfPage {
  readonly type: Partial<Pick<LazyPage<object>, 'preload'>>
}

/** The map of the app. Addresses are built in `paths.ts`. */
export function mapOfApp() {
  return (
    <Route element={<RootLayout />}>
      <Route index element={<HomePage />} />
      <Route path="products" element={<ProductsPage />} />
      <Route path="products/:productId" element={<ProductPage />} />
      <Route path="auctions/:auctionId" element={<AuctionPage />} />
      <Route path="auction/:auctionId" element={<AuctionPage />} />
      <Route path="auth" element={<AuthPage />} />
      <Route path="login" element={<AuthPage />} />
      <Route path="register" element={<AuthPage opens="register" />} />
      <Route path="auth-callback" element={<AuthCallbackPage />} />
      <Route path="verify-email" element={<VerifyEmailPage />} />
      <Route path="auth-verify" element={<VerifyEmailPage />} />
      <Route path="auth/verify" element={<VerifyEmailPage />} />
      <Route path="reset-password" element={<ResetPasswordPage />} />
      <Route path="sellers/:sellerId" element={<ShopPage />} />
      <Route element={<GuardedPage />}>
        <Route path="profile" element={<ProfileRedirectPage />} />
        <Route path="account" element={<AccountPage />}>
          <Route index element={<OverviewPage />} />
          <Route path="orders" element={<OrdersPage />} />
          <Route path="favorites" element={<FavoritesPage />} />
          <Route path="settings" element={<SettingsPage />} />
        </Route>
        <Route path="account/orders/:orderId" element={<ReceiptPage />} />
        <Route path="account/boosts/:orderId" element={<BoostReceiptPage />} />
        <Route path="messages" element={<MessagesPage />} />
        <Route path="seller/dashboard" element={<DashboardPage />} />
        <Route path="seller/products/new" element={<NewListingPage />} />
        <Route path="seller/products/:productId/edit" element={<EditListingPage />} />
        <Route path="seller/products/:productId/relist" element={<RelistPage />} />
        <Route path="seller/auctions/new" element={<Navigate to={paths.newProduct('auction')} replace />} />
        <Route path="boost-checkout" element={<CheckoutPage />} />
        <Route path="admin/dashboard" element={<AdminPage />} />
        <Route path="admin/users/:userId" element={<AdminUserPage />} />
        <Route path="admin/orders/:orderId" element={<AdminOrderPage />} />
        <Route path="admin/listings/:productId" element={<AdminListingPage />} />
      </Route>
      {UiPage && <Route path="dev/ui" element={<UiPage />} />}
      <Route path="terms-of-service" element={<TermsPage />} />
      <Route path="privacy-policy" element={<PrivacyPage />} />
      <Route path="buying-guide" element={<BuyingGuidePage />} />
      <Route path="authentication-guide" element={<AuthenticationGuidePage />} />
      <Route path="shipping-guidelines" element={<ShippingPage />} />
      <Route path="return-policy" element={<ReturnsPage />} />
      <Route path="about" element={<AboutPage />} />
      <Route path="*" element={<NotFoundPage />} />
    </Route>
  )
}
