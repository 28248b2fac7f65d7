import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import type { TokenHolder } from '../api/app-token.ts'
import { depart } from '../lib/unsaved-changes.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { useSession } from '../session/use-session.ts'
import { color, highlight, layer, motion, phone, radius, reach, space, text, weight } from '../theme/theme.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { showToast } from '../ui/toast-store.ts'

/** Where a signed-in person goes from, and out. */
export function AccountMenu({ user, picture }: { user: TokenHolder; picture: string | null }) {
  const { t } = useTranslation()
  const session = useSession()
  const navigate = useNavigate()
  // Within the header, so that the menu belongs to a landmark.
  const [place, setPlace] = useState<HTMLSpanElement | null>(null)
  const logOut = () =>
    depart(() => {
      // It is over here at once; what the servers say to it changes nothing.
      void session.signOut()
      showToast({ title: t('menu.loggedOut') })
      void navigate(paths.home())
    })
  return (
    <Menu.Root>
      <span ref={setPlace}>
        <Trigger aria-label={t('menu.myAccount')}>
          <Avatar src={picture} name={user.username} />
        </Trigger>
      </span>
      <Menu.Portal container={place}>
        <Positioner side="bottom" align="end" sideOffset={8}>
          <Popup>
            <Menu.Group>
              <Heading>
                {t('menu.myAccount')}
                <Name>{user.username}</Name>
              </Heading>
              <Item render={<Link to={paths.profile()} />}>{t('menu.profile')}</Item>
              {user.isSeller && <Item render={<Link to={paths.sellerDashboard()} />}>{t('menu.sellerDashboard')}</Item>}
              {user.isAdmin && <Item render={<Link to={paths.adminDashboard()} />}>{t('menu.adminDashboard')}</Item>}
              <Item render={<Link to={paths.account()} />}>{t('menu.account')}</Item>
            </Menu.Group>
            <Line />
            <Item onClick={logOut}>{t('menu.logout')}</Item>
          </Popup>
        </Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

const Trigger = styled(Menu.Trigger)`
  position: relative;
  display: grid;
  padding: 0;
  border: 1px solid ${color.edge};
  border-radius: ${radius.round};
  background: none;
  transition: border-color ${motion.quick};
  ${reach(3)}
  &:hover, &[data-popup-open] { border-color: ${color.ink}; }
`

const Positioner = styled(Menu.Positioner)`
  z-index: ${layer.popup};
`

const Popup = styled(Menu.Popup)`
  min-width: ${space(56)};
  max-width: var(--available-width);
  padding: ${space(2)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  box-shadow: ${color.shadow};
  transform-origin: var(--transform-origin);
  transition: opacity ${motion.quick}, transform ${motion.quick};
  &:focus-visible { outline: none; }
  &[data-starting-style], &[data-ending-style] { opacity: 0; transform: scale(0.97); }
`

const Heading = styled(Menu.GroupLabel)`
  padding: ${space(2)} ${space(3)} ${space(3)};
  color: ${color.muted};
  font-size: ${text.small};
`

const Name = styled.span`
  display: block;
  color: ${color.ink};
  font-size: ${text.body};
  font-weight: ${weight.strong};
  overflow-wrap: anywhere;
`

const Item = styled(Menu.Item)`
  display: flex;
  align-items: center;
  min-height: ${space(10)};
  ${phone} { min-height: ${space(11)}; }
  padding: 0 ${space(3)};
  border-radius: ${radius.small};
  color: ${color.ink};
  text-decoration: none;
  cursor: pointer;
  user-select: none;
  &[data-highlighted] { ${highlight} }
`

const Line = styled(Menu.Separator)`
  height: 1px;
  margin: ${space(2)} 0;
  background: ${color.line};
`
