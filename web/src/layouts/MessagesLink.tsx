import { MessageCircle } from 'lucide-react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { color, radius, space, tint } from '../theme/theme.ts'
import { Count } from './Count.tsx'

/** The way to one's messages, and how many of them are new. */
export function MessagesLink({ unread }: { unread: number }) {
  const { t } = useTranslation()
  return (
    <IconLink
      to={paths.messages()}
      aria-label={unread > 0 ? t('shell.unread', { count: unread }) : t('shell.messages')}
    >
      <MessageCircle size={22} strokeWidth={1.5} aria-hidden />
      <Count of={unread} />
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
