import { Search } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { profileImageSource } from '../lib/image-source.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { searchedIn, searchName } from '../lib/search-form.ts'
import { paths } from '../paths.ts'
import { useCurrentUser } from '../session/use-current-user.ts'
import { useSessionState } from '../session/use-session.ts'
import { color, from, layer, motion, phone, radius, space, text, tint, weight, width } from '../theme/theme.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { VisuallyHidden } from '../ui/VisuallyHidden.tsx'
import { Logo } from './Logo.tsx'
import { MessagesLink } from './MessagesLink.tsx'

/** Only who is signed in needs these. */
const AccountMenu = lazyPart(async () => (await import('./AccountMenu.tsx')).AccountMenu)
const MessageNews = lazyPart(async () => (await import('./MessageNews.tsx')).MessageNews)

/** Above every page: home, search where there is room, and the way to sell, to messages and to one's account. */
export function Header() {
  const { t } = useTranslation()
  const session = useSessionState()
  // Also finds out, at once and not at the first click, that a stored token is not taken any more.
  const person = useCurrentUser().data
  const { pathname, search } = useLocation()
  const here = `${pathname}${search}`
  const isHome = pathname === paths.home()
  return (
    <Bar>
      <Row>
        <Logo />
        <SearchBox key={here} />
        <Actions aria-label={t('shell.mainNavigation')}>
          <TextLink to={paths.sellerDashboard()}>{t('shell.sell')}</TextLink>
          {session.status === 'signed-in' && (
            <Suspense fallback={<MessagesLink unread={0} />}>
              <MessageNews />
            </Suspense>
          )}
          {session.status === 'signed-in' ? (
            <Suspense fallback={<AccountSpace />}>
              <AccountMenu user={session.user} picture={profileImageSource(person?.profileImage)} />
            </Suspense>
          ) : (
            <SignIn
              to={isHome ? paths.auth() : paths.auth({ redirect: here })}
              size="small"
              tone="secondary"
              aria-busy={session.status === 'loading' || undefined}
            >
              {t('shell.signIn')}
            </SignIn>
          )}
        </Actions>
      </Row>
    </Bar>
  )
}

function SearchBox() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const current = pathname === paths.products() ? (new URLSearchParams(search).get('search') ?? '') : ''
  return (
    <SearchForm
      role="search"
      aria-label={t('shell.searchSite')}
      action={paths.products()}
      onSubmit={(event) => {
        event.preventDefault()
        void navigate(paths.products({ search: searchedIn(event.currentTarget) }))
      }}
    >
      <VisuallyHidden as="label" htmlFor="header-search">
        {t('shell.search')}
      </VisuallyHidden>
      <SearchField
        id="header-search"
        type="search"
        name={searchName}
        defaultValue={current}
        placeholder={t('shell.searchPlaceholder')}
      />
      <SearchButton type="submit" aria-label={t('shell.searchButton')}>
        <Search size={18} strokeWidth={1.5} aria-hidden />
      </SearchButton>
    </SearchForm>
  )
}

const Bar = styled.header`
  position: sticky;
  z-index: ${layer.header};
  top: 0;
  border-bottom: 1px solid ${color.line};
  background: ${color.paper};
`

const Row = styled.div`
  display: flex;
  gap: ${space(4)};
  align-items: center;
  justify-content: space-between;
  max-width: calc(${width.page} + ${space(12)});
  min-height: ${space(16)};
  margin: 0 auto;
  padding: 0 ${space(5)};
  ${from.tablet} { padding: 0 ${space(6)}; }
`

const SearchForm = styled.form`
  position: relative;
  display: none;
  flex: 1;
  max-width: ${space(104)};
  ${from.tablet} { display: block; }
`

const SearchField = styled.input`
  width: 100%;
  min-height: ${space(10)};
  padding: 0 ${space(10)} 0 ${space(4)};
  border: 1px solid ${color.line};
  border-radius: ${radius.round};
  background: ${color.surface};
  font-size: ${text.body};
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.edge}; }
  &::placeholder { color: ${color.muted}; opacity: 1; }
  &::-webkit-search-cancel-button { display: none; }
`

const SearchButton = styled.button`
  position: absolute;
  top: 0;
  right: 0;
  display: grid;
  place-items: center;
  width: ${space(10)};
  height: ${space(10)};
  padding: 0;
  border: 0;
  border-radius: ${radius.round};
  background: none;
  color: ${color.muted};
  &:hover { color: ${color.ink}; }
`

const Actions = styled.nav`
  display: flex;
  gap: ${space(3)};
  align-items: center;
  ${phone} { gap: ${space(1)}; }
`

/** Whoever was signed in probably still is, and is not asked meanwhile (`before-paint.js`). */
const SignIn = styled(ButtonLink)`
  :root[data-known] &[aria-busy='true'] { visibility: hidden; }
`

const TextLink = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(11)};
  padding: 0 ${space(3)};
  border-radius: ${radius.small};
  color: ${color.ink};
  font-weight: ${weight.strong};
  text-decoration: none;
  &:hover { background: ${tint('ink', 6)}; }
`

/** As large as the picture with its edge. */
const AccountSpace = styled.span`
  width: ${space(9.5)};
  height: ${space(9.5)};
  border-radius: ${radius.round};
  background: ${color.ground};
`
