import { Navigate, Route, Routes } from 'react-router-dom'
import { Guarded } from './layouts/Guarded.tsx'
import NotFoundPage from './layouts/NotFoundPage.tsx'
import { RootLayout } from './layouts/RootLayout.tsx'
import { lazyPage } from './lib/lazy-part.ts'
import { paths } from './paths.ts'

const HomePage = lazyPage(() => import('./features/catalogue/HomePage.tsx'))
const ProductsPage = lazyPage(() => import('./features/catalogue/ProductsPage.tsx'))
const ProductPage = lazyPage(() => import('./features/catalogue/ProductPage.tsx'))
const AuctionPage = lazyPage(() => import('./features/auction/AuctionPage.tsx'))
const AuthPage = lazyPage(() => import('./features/auth/AuthPage.tsx'))
const AuthCallbackPage = lazyPage(() => import('./features/auth/AuthCallbackPage.tsx'))
const VerifyEmailPage = lazyPage(() => import('./features/auth/VerifyEmailPage.tsx'))
const ResetPasswordPage = lazyPage(() => import('./features/auth/ResetPasswordPage.tsx'))
const MessagesPage = lazyPage(() => import('./features/messaging/MessagesPage.tsx'))
const ProfilePage = lazyPage(() => import('./features/account/ProfilePage.tsx'))
const ProfileRedirectPage = lazyPage(() => import('./features/account/ProfileRedirectPage.tsx'))
const AccountPage = lazyPage(() => import('./features/account/AccountPage.tsx'))
const OverviewPage = lazyPage(() => import('./features/account/OverviewPage.tsx'))
const OrdersPage = lazyPage(() => import('./features/account/OrdersPage.tsx'))
const FavoritesPage = lazyPage(() => import('./features/catalogue/FavoritesPage.tsx'))
const SettingsPage = lazyPage(() => import('./features/account/SettingsPage.tsx'))
const NewAuctionPage = lazyPage(() => import('./features/selling/NewAuctionPage.tsx'))

/** The map of the app. Addresses are built in `paths.ts`. */
export function AppRoutes() {
  return (
    <Routes>
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
        <Route path="sellers/:sellerId" element={<ProfilePage />} />
        <Route element={<Guarded />}>
          <Route path="profile" element={<ProfileRedirectPage />} />
          <Route path="account" element={<AccountPage />}>
            <Route index element={<OverviewPage />} />
            <Route path="orders" element={<OrdersPage />} />
            <Route path="favorites" element={<FavoritesPage />} />
            <Route path="settings" element={<SettingsPage />} />
          </Route>
          <Route path="messages" element={<MessagesPage />} />
          <Route path="seller/dashboard" element={<Navigate to={paths.newAuction()} replace />} />
          <Route path="seller/auctions/new" element={<NewAuctionPage />} />
          {/* These have no page yet, and still only let in who may see it. */}
          <Route path="admin/dashboard" element={<NotFoundPage />} />
          <Route path="boost-checkout" element={<NotFoundPage />} />
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  )
}
