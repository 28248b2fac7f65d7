import { Menu } from '@base-ui/react/menu'
import { MoreHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router-dom'
import { css, styled } from 'styled-components'
import { color, motion, radius, space, tint } from '../theme/theme.ts'
import { popupItemLook, popupLook, positionerLook } from './popup-look.ts'

/** What can be done with the thing of a row: `to` goes somewhere, `onSelect` does it. */
export type MenuAction = {
  readonly label: string
  readonly icon?: ReactNode
  readonly tone?: 'plain' | 'danger'
  readonly disabled?: boolean
} & ({ readonly to: string } | { readonly onSelect: () => void })

/** The actions of one row behind three dots. `label` names the row: 'Actions for Oud Wood'. */
export function RowMenu({ label, actions }: { label: string; actions: readonly MenuAction[] }) {
  // Beside the trigger, so that the menu belongs to a landmark; fixed, so that a scrolling table does not cut it off.
  const [place, setPlace] = useState<HTMLSpanElement | null>(null)
  return (
    <Menu.Root modal={false}>
      <span ref={setPlace}>
        <Trigger aria-label={label}>
          <MoreHorizontal size={20} strokeWidth={1.5} aria-hidden />
        </Trigger>
      </span>
      <Menu.Portal container={place}>
        <Positioner align="end" sideOffset={4} positionMethod="fixed">
          <Popup>
            {actions.map((action) => (
              <Item
                key={action.label}
                disabled={action.disabled ?? false}
                $tone={action.tone ?? 'plain'}
                {...('to' in action ? { render: <Link to={action.to} /> } : { onClick: action.onSelect })}
              >
                {action.icon}
                {action.label}
              </Item>
            ))}
          </Popup>
        </Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

const Trigger = styled(Menu.Trigger)`
  display: grid;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  padding: 0;
  border: 0;
  border-radius: ${radius.round};
  background: none;
  color: ${color.muted};
  transition: background-color ${motion.quick}, color ${motion.quick};
  &:hover, &[data-popup-open] { background: ${tint('ink', 7)}; color: ${color.ink}; }
`

const Positioner = styled(Menu.Positioner)`
  ${positionerLook}
`

const Popup = styled(Menu.Popup)`
  ${popupLook}
  min-width: ${space(44)};
  padding: ${space(2)};
`

const Item = styled(Menu.Item)<{ $tone: 'plain' | 'danger' }>`
  ${popupItemLook}
  ${({ $tone }) =>
    $tone === 'danger' &&
    css`
      &:not([data-disabled]) { color: ${color.live}; }
    `}
`
