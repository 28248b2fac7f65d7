import { Search } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { styled } from 'styled-components'
import { loadWords } from '../i18n/i18n.ts'
import { profileImageSource } from '../lib/image-source.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { SeenBy } from '../session/SeenBy.tsx'
import { useCurrentUser } from '../session/use-current-user.ts'
import { useSessionState } from '../session/use-session.ts'
import { color, from, layer, phone, radius, space, tint, weight, width } from '../theme/theme.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Logo } from './Logo.tsx'
import { SearchBox } from './SearchBox.tsx'

/** Only who is signed in needs these. */
const AccountMenu = lazyPart(async () => (await Promise.all([import('./AccountMenu.tsx'), loadWords()]))[0].AccountMenu)
const News = lazyPart(async () => (await Promise.all([import('./News.tsx'), loadWords()]))[0].News)

/** Only who presses for it on a phone needs this. */
const PhoneSearch = lazyPart(async () => (await import('./PhoneSearch.tsx')).PhoneSearch)

/** Above every page: home, search, and the way to what is for sale, to selling, to messages and to one's account. */
export function Header() {
  const { t } = useTranslation()
  const session = useSessionState()
  // Also finds out, at once and not at the first click, that a stored token is not taken any more.
  const person = useCurrentUser().data
  const { pathname, search } = useLocation()
  const here = `${pathname}${search}`
  const isHome = pathname === paths.home()
  const isScrolled = useIsScrolled(isHome)
  // On a phone, and only for the page that it was opened on.
  const [searchedFrom, setSearchedFrom] = useState<string | null>(null)
  const searchToggle = useRef<HTMLButtonElement>(null)
  return (
    <Bar>
      <Row>
        <Logo />
        {/* The first screen of the home page has a search of its own. */}
        <SearchBox key={here} isResting={isHome && !isScrolled} />
        {searchedFrom === here && (
          <Suspense fallback={null}>
            <PhoneSearch opener={searchToggle} onClose={() => setSearchedFrom(null)} />
          </Suspense>
        )}
        <Actions aria-label={t('shell.mainNavigation')}>
          <SearchToggle ref={searchToggle} aria-label={t('shell.search')} onClick={() => setSearchedFrom(here)}>
            <Search size={20} strokeWidth={1.5} aria-hidden />
          </SearchToggle>
          <WideLink to={paths.products()}>{t('shell.shop')}</WideLink>
          <WideLink to={paths.products({ type: 'auction' })}>{t('shell.auctions')}</WideLink>
          <TextLink to={paths.sellerDashboard()}>{t('shell.sell')}</TextLink>
          <SeenBy viewers={['other']}>
            <Suspense fallback={<NewsSpace />}>{session.status === 'signed-in' ? <News /> : <NewsSpace />}</Suspense>
            <Suspense fallback={<AccountSpace />}>
              {session.status === 'signed-in' ? (
                <AccountMenu user={session.user} picture={profileImageSource(person?.profileImage)} />
              ) : (
                <AccountSpace />
              )}
            </Suspense>
          </SeenBy>
          <SeenBy viewers={['guest']}>
            <ButtonLink to={isHome ? paths.auth() : paths.auth({ redirect: here })} size="small" tone="secondary">
              {t('shell.signIn')}
            </ButtonLink>
          </SeenBy>
        </Actions>
      </Row>
    </Bar>
  )
}

/** Whether the first screen, more or less, has been scrolled away. */
function useIsScrolled(isAsked: boolean): boolean {
  const [isScrolled, setScrolled] = useState(false)
  useEffect(() => {
    if (!isAsked) return
    const look = () => setScrolled(window.scrollY > window.innerHeight / 2)
    look()
    window.addEventListener('scroll', look)
    return () => window.removeEventListener('scroll', look)
  }, [isAsked])
  return isScrolled
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
  max-width: calc(${width.page} + ${space(12)});
  min-height: ${space(16)};
  margin: 0 auto;
  padding: 0 ${space(5)};
  ${phone} { flex-wrap: wrap; gap: 0 ${space(3)}; }
  ${from.tablet} { padding: 0 ${space(6)}; }
`

const SearchToggle = styled(IconButton)`
  ${from.tablet} { display: none; }
`

/**
 * At the end, while the search follows the logo: that is found in its place also where a page is painted before all of it has come. On a phone
 * below the name where text is larger than by a quarter, and nowhere else.
 */
const Actions = styled.nav`
  display: flex;
  gap: ${space(1)};
  align-items: center;
  margin-left: auto;
  ${phone} {
    flex: 1;
    gap: 0;
    justify-content: flex-end;
    min-width: min(100%, (1rem - 20px) * 99);
  }
`

const TextLink = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(11)};
  padding: 0 ${space(2)};
  border-radius: ${radius.small};
  color: ${color.ink};
  font-weight: ${weight.strong};
  text-decoration: none;
  &:hover { background: ${tint('ink', 6)}; }
`

const WideLink = styled(TextLink)`
  ${phone} { display: none; }
`

/** As wide as the ways to messages and notices. */
const NewsSpace = styled.span`
  width: ${space(23)};
  ${phone} { width: ${space(22)}; }
`

/** As large as the picture with its edge. */
const AccountSpace = styled.span`
  width: ${space(9.5)};
  height: ${space(9.5)};
  border-radius: ${radius.round};
  background: ${color.ground};
`
