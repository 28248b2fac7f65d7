import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { color, font, narrowPhone, space } from '../theme/theme.ts'

/** The name of the house, which leads home. On the narrowest phones the bottle stands for it. */
export function Logo() {
  const { t } = useTranslation()
  return (
    <HomeLink to={paths.home()}>
      <svg viewBox="0 0 20 26" width="16" height="21" aria-hidden>
        <path
          d="M7 1h6v4.6c0 .6.3 1.2.8 1.5l1.7 1.1A5 5 0 0 1 17.8 12.4V21a4 4 0 0 1-4 4H6.2a4 4 0 0 1-4-4v-8.6A5 5 0 0 1 4.5 8.2l1.7-1.1c.5-.3.8-.9.8-1.5z"
          fill="none"
          stroke={color.ink}
          strokeWidth="1.5"
          strokeLinejoin="round"
        />
        <path d="M4.2 15h11.6v5.6a2.4 2.4 0 0 1-2.4 2.4H6.6a2.4 2.4 0 0 1-2.4-2.4z" fill={color.accent} />
      </svg>
      <Name>{t('shell.brand')}</Name>
    </HomeLink>
  )
}

const HomeLink = styled(Link)`
  display: inline-flex;
  align-items: center;
  gap: ${space(2)};
  min-height: ${space(11)};
  color: ${color.ink};
  font-family: ${font.serif};
  font-size: 1.375rem;
  letter-spacing: -0.02em;
  text-decoration: none;
  svg { flex: none; }
`

/** As wide in the face that stands in until ours has come, which what follows would move for. */
const Name = styled.span`
  min-width: 4em;
  ${narrowPhone} { position: absolute; clip-path: inset(50%); }
`
