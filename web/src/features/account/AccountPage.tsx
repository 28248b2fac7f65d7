import { useEffect, useRef } from 'react'
import { NavLink, Outlet, useLocation } from 'react-router-dom'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { type AccountTab, paths } from '../../paths.ts'
import { color, from, motion, space, text, weight } from '../../theme/theme.ts'
import { Page, PageTitle } from '../../ui/Page.tsx'
import { showInStrip } from '../../ui/show-in-strip.ts'

const tabs: readonly (AccountTab | undefined)[] = [undefined, 'orders', 'favorites', 'settings']

/** Everything of the signed-in person in parts, each with an address of its own. */
export default function AccountPage() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const parts = useRef<HTMLElement>(null)
  useEffect(() => {
    // On a phone the strip is wider than the screen, and what is open may be beyond its edge.
    showInStrip(parts.current, `[href="${pathname}"]`)
  }, [pathname])
  return (
    <Page>
      <title>{`${t('account.title')} · ${t('shell.brand')}`}</title>
      <PageTitle>{t('account.title')}</PageTitle>
      <Parts ref={parts} aria-label={t('account.title')}>
        {tabs.map((tab) => (
          <Part key={tab ?? 'overview'} to={paths.account(tab)} end>
            {t(`account.tabs.${tab ?? 'overview'}`)}
          </Part>
        ))}
      </Parts>
      <Outlet />
    </Page>
  )
}

const Parts = styled.nav`
  display: flex;
  gap: ${space(6)};
  margin: ${space(4)} -${space(5)} ${space(8)};
  padding: 0 ${space(5)};
  overflow-x: auto;
  scroll-padding-inline: ${space(5)};
  /* Not a border: what scrolls would cut off the line of the tab that is open. */
  box-shadow: inset 0 -1px ${color.line};
  scrollbar-width: none;
  ${from.tablet} { margin: ${space(6)} 0 ${space(10)}; padding: 0; }
`

const Part = styled(NavLink)`
  padding: ${space(3)} 0;
  border-bottom: 2px solid transparent;
  color: ${color.muted};
  font-size: ${text.body};
  font-weight: ${weight.strong};
  text-decoration: none;
  white-space: nowrap;
  transition: color ${motion.quick}, border-color ${motion.quick};
  &:hover { color: ${color.ink}; }
  &[aria-current='page'] { border-color: ${color.accent}; color: ${color.ink}; }
  /* The strip scrolls, which would cut off an outline around it. */
  &:focus-visible { outline-offset: -2px; }
`
