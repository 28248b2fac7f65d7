import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { styled } from 'styled-components'
import type { Guide, Guides } from '../../i18n/guides.ts'
import { shownEntry } from '../../i18n/i18n.ts'
import { formatDay } from '../../lib/dates.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, from, space, text, width } from '../../theme/theme.ts'
import { Page, PageIntro, PageTitle } from '../../ui/Page.tsx'

/**
 * A page of text with its contents beside it. `isOrdered` numbers the sections, as rules that people cite are. `children` come after the
 * text.
 */
export function GuidePage({
  name,
  isOrdered = false,
  children,
}: {
  name: keyof Guides
  isOrdered?: boolean
  children?: ReactNode
}) {
  const { t } = useTranslation()
  // Who leads here has loaded them.
  const guides = shownEntry('guidePages') as Guides
  const guide: Guide = guides[name]
  const { hash } = useLocation()
  useEffect(() => {
    // The browser looked for it before the page was there.
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView()
  }, [hash])
  const titleOf = (index: number, title: string) => (isOrdered ? `${index + 1}. ${title}` : title)
  return (
    <Page>
      <title>{`${guide.title} · ${t('shell.brand')}`}</title>
      <PageTitle>{guide.title}</PageTitle>
      <PageIntro>{guide.intro}</PageIntro>
      {guide.updated && <Updated>{t('guides.updated', { date: formatDay(guide.updated) })}</Updated>}
      <Columns>
        <Contents aria-label={t('guides.contents')}>
          <ul>
            {guide.sections.map(({ id, title }, index) => (
              <li key={id}>
                <a href={`#${id}`}>{titleOf(index, title)}</a>
              </li>
            ))}
          </ul>
        </Contents>
        <div>
          {guide.sections.map(({ id, title, paragraphs, points, links }, index) => (
            <Section key={id} id={id} aria-labelledby={`${id}-title`}>
              <SectionTitle id={`${id}-title`}>{titleOf(index, title)}</SectionTitle>
              {paragraphs.map((paragraph) => (
                <p key={paragraph}>{paragraph}</p>
              ))}
              {points && (
                <ul>
                  {points.map((point) => (
                    <li key={point}>{point}</li>
                  ))}
                </ul>
              )}
              {links?.map(({ to, label }) => (
                <p key={to}>
                  <Link to={to}>{label}</Link>
                </p>
              ))}
            </Section>
          ))}
          {children}
        </div>
      </Columns>
    </Page>
  )
}

const Updated = styled.p`
  margin-top: ${space(3)};
  color: ${color.muted};
  font-size: ${text.small};
`

const Columns = styled.div`
  display: grid;
  gap: ${space(10)};
  margin-top: ${space(10)};
  ${from.desktop} { grid-template-columns: minmax(0, 1fr) minmax(0, 2.4fr); gap: ${space(16)}; }
`

const Contents = styled.nav`
  align-self: start;
  padding-bottom: ${space(6)};
  border-bottom: 1px solid ${color.line};
  font-size: ${text.small};
  ul { display: grid; gap: ${space(1)}; padding: 0; list-style: none; }
  a { display: inline-block; padding: ${space(1)} 0; color: ${color.muted}; text-decoration: none; }
  a:hover { color: ${color.ink}; text-decoration: underline; }
  ${from.desktop} { position: sticky; top: ${space(24)}; padding: 0; border: 0; }
`

const Section = styled.section`
  max-width: ${width.prose};
  scroll-margin-top: ${space(24)};
  line-height: 1.65;
  p + p, ul + p { margin-top: ${space(3)}; }
  ul { display: grid; gap: ${space(2)}; margin-top: ${space(3)}; padding-left: ${space(5)}; list-style: disc; }
  li::marker { color: ${color.accent}; }
  & + & { margin-top: ${space(10)}; padding-top: ${space(10)}; border-top: 1px solid ${color.line}; }
`

const SectionTitle = styled.h2`
  margin-bottom: ${space(3)};
  font-size: ${text.title};
`
