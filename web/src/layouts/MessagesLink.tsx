import { MessageCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { paths } from '../paths.ts'
import { color, radius, space, tint, weight } from '../theme/theme.ts'

const unreadMax = 99

/** The way to one's messages, and how many of them are new. */
export function MessagesLink({ unread }: { unread: number }) {
  const { t } = useTranslation()
  return (
    <IconLink
      to={paths.messages()}
      aria-label={unread > 0 ? t('shell.unread', { count: unread }) : t('shell.messages')}
    >
      <MessageCircle size={22} strokeWidth={1.5} aria-hidden />
      {unread > 0 && <Count aria-hidden>{unread > unreadMax ? `${unreadMax}+` : unread}</Count>}
    </IconLink>
  )
}

const IconLink = styled(Link)`
  position: relative;
  display: grid;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  border-radius: ${radius.round};
  color: ${color.ink};
  &:hover { background: ${tint('ink', 6)}; }
`

const Count = styled.span`
  position: absolute;
  top: ${space(0.5)};
  right: ${space(0.5)};
  min-width: ${space(4.5)};
  padding: 0 ${space(1)};
  border-radius: ${radius.round};
  background: ${color.live};
  color: ${color.paper};
  font-size: 0.6875rem;
  font-weight: ${weight.strong};
  line-height: ${space(4.5)};
  text-align: center;
`
