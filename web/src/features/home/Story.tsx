import { shopRoutes } from '@wangian/contracts/shop.ts'
import { ArrowLeftRight, Quote, ScanSearch, ShieldCheck } from 'lucide-react'
import { useEffect } from 'react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { useApi } from '../../api/use-api.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, font, from, radius, space, text, weight, width } from '../../theme/theme.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Section, ShelfHead, ShelfTitle } from './Shelf.tsx'

const upcoming = [
  { key: 'swap', icon: ArrowLeftRight },
  { key: 'escrow', icon: ShieldCheck },
  { key: 'guide', icon: ScanSearch },
] as const

/** The group on a social network. */
const communityUrl = import.meta.env.VITE_COMMUNITY_URL || 'https://www.facebook.com/groups/wangian'

/** What is being built, what people have said in reviews, and where they meet. `onWhole` is called once it is known what people said. */
export function Story({ onWhole }: { onWhole: () => void }) {
  const { t } = useTranslation()
  const { data, error } = useApi(shopRoutes.listVoices, {})
  const voices = data ?? []
  const isWhole = (data ?? error) !== undefined
  useEffect(() => {
    if (isWhole) onWhole()
  }, [isWhole, onWhole])
  return (
    <>
      <Section aria-labelledby="upcoming">
        <ShelfHead>
          <ShelfTitle id="upcoming">{t('story.upcoming')}</ShelfTitle>
        </ShelfHead>
        <Columns>
          {upcoming.map(({ key, icon: Icon }) => (
            <li key={key}>
              <Mark aria-hidden>
                <Icon size={26} strokeWidth={1.5} />
              </Mark>
              <Name>{t(`story.upcomingParts.${key}.title`)}</Name>
              <Words>{t(`story.upcomingParts.${key}.text`)}</Words>
              <Badge $tone="accent">{t('story.comingSoon')}</Badge>
            </li>
          ))}
        </Columns>
      </Section>

      {voices.length > 0 && (
        <Section aria-labelledby="voices">
          <ShelfHead>
            <ShelfTitle id="voices">{t('story.voices')}</ShelfTitle>
          </ShelfHead>
          <Columns>
            {voices.map(({ id, comment, user, seller }) => (
              <li key={id}>
                <Voice>
                  <Mark aria-hidden>
                    <Quote size={22} strokeWidth={1.5} />
                  </Mark>
                  <Said>{comment}</Said>
                  <Who>
                    {t('story.voiceOf', { name: user.username ?? t('person.deleted') })}{' '}
                    <Link to={paths.seller(seller.id)}>{seller.shopName}</Link>
                  </Who>
                </Voice>
              </li>
            ))}
          </Columns>
        </Section>
      )}

      <Community aria-labelledby="community">
        <CommunityTitle id="community">{t('story.community')}</CommunityTitle>
        <CommunityText>{t('story.communityText')}</CommunityText>
        <Join href={communityUrl} target="_blank" rel="noreferrer">
          {t('story.join')}
        </Join>
      </Community>
    </>
  )
}

const Columns = styled.ul`
  display: grid;
  gap: ${space(10)};
  ${from.tablet} { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: ${space(8)}; }
`

const Mark = styled.span`
  display: block;
  margin-bottom: ${space(3)};
  color: ${color.accent};
`

const Name = styled.h3`
  font-size: ${text.title};
`

const Words = styled.p`
  max-width: 25.6em;
  margin: ${space(2)} 0 ${space(3)};
  color: ${color.muted};
`

const Voice = styled.figure`
  display: flex;
  flex-direction: column;
  height: 100%;
`

const Said = styled.blockquote`
  margin: 0;
  font-family: ${font.serif};
  font-size: ${text.lead};
  line-height: 1.5;
  overflow-wrap: anywhere;
`

const Who = styled.figcaption`
  margin-top: ${space(3)};
  color: ${color.muted};
  font-size: ${text.small};
`

const Community = styled.section`
  display: grid;
  gap: ${space(4)};
  justify-items: center;
  margin-top: ${space(20)};
  padding: ${space(14)} ${space(5)};
  border-radius: ${radius.large};
  background: ${color.ink};
  color: ${color.paper};
  text-align: center;
`

const CommunityTitle = styled.h2`
  max-width: 12.8em;
  font-size: ${text.heading};
  ${from.tablet} { font-size: ${text.display}; }
`

const CommunityText = styled.p`
  max-width: ${width.prose};
  text-wrap: balance;
  font-size: ${text.lead};
`

const Join = styled.a`
  display: inline-flex;
  align-items: center;
  min-height: ${space(12)};
  margin-top: ${space(2)};
  padding: 0 ${space(6)};
  border-radius: ${radius.small};
  background: ${color.paper};
  color: ${color.ink};
  font-weight: ${weight.strong};
  text-decoration: none;
  &:hover { background: ${color.surface}; }
  &:focus-visible { outline-color: ${color.paper}; }
`
