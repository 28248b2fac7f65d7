import { type Language, languages } from '@wangian/contracts/languages.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { type SchemeChoice, useSchemeChoice } from '../theme/scheme.ts'
import { color, from, phone, radius, space, text, weight, width } from '../theme/theme.ts'
import { showToast } from '../ui/toast-store.ts'
import { Logo } from './Logo.tsx'

/** Where the site is to be found elsewhere; the addresses are given when it is built. Drawn in the strokes of our other icons. */
const networks = [
  {
    name: 'Facebook',
    url: import.meta.env.VITE_FACEBOOK_URL || 'https://www.facebook.com/wangian',
    icon: 'M18 2h-3a5 5 0 0 0-5 5v3H7v4h3v8h4v-8h3l1-4h-4V7a1 1 0 0 1 1-1h3z',
  },
  {
    name: 'Instagram',
    url: import.meta.env.VITE_INSTAGRAM_URL || 'https://www.instagram.com/wangian',
    icon: 'M7 2h10a5 5 0 0 1 5 5v10a5 5 0 0 1-5 5H7a5 5 0 0 1-5-5V7a5 5 0 0 1 5-5zm1 10a4 4 0 1 0 8 0 4 4 0 1 0-8 0m9.5-5.5v0',
  },
  {
    name: 'TikTok',
    url: import.meta.env.VITE_TIKTOK_URL || 'https://www.tiktok.com/@wangian',
    icon: 'M10 11a5.5 5.5 0 1 0 4.5 5.5V9a8 8 0 0 0 5 1.5V7a5 5 0 0 1-5-5H11v14.5A2 2 0 1 1 10 14.5z',
  },
]

/** Below every page. */
export function Footer() {
  const { t } = useTranslation()
  return (
    <Ground>
      <Columns>
        <div>
          <Logo />
          <Blurb>{t('footer.blurb')}</Blurb>
          <Social aria-label={t('footer.social')}>
            {networks.map(({ name, url, icon }) => (
              <li key={name}>
                <SocialLink href={url} aria-label={name} target="_blank" rel="noreferrer">
                  <svg viewBox="0 0 24 24" aria-hidden>
                    <path d={icon} />
                  </svg>
                </SocialLink>
              </li>
            ))}
          </Social>
        </div>
        <nav aria-labelledby="footer-quick">
          <Title id="footer-quick">{t('footer.quickLinks')}</Title>
          <Links>
            <FooterLink to={paths.products()}>{t('shell.shop')}</FooterLink>
            <FooterLink to={paths.products({ type: 'auction' })}>{t('shell.auctions')}</FooterLink>
            <FooterLink to={paths.about()}>{t('footer.about')}</FooterLink>
          </Links>
        </nav>
        <nav aria-labelledby="footer-trade">
          <Title id="footer-trade">{t('footer.buyersAndSellers')}</Title>
          <Links>
            <FooterLink to={paths.buyingGuide()}>{t('footer.buyingGuide')}</FooterLink>
            <FooterLink to={paths.sellerDashboard()}>{t('footer.sellerGuide')}</FooterLink>
            <FooterLink to={paths.authenticationGuide()}>{t('footer.authenticationGuide')}</FooterLink>
            <FooterLink to={paths.shippingGuidelines()}>{t('footer.shippingGuidelines')}</FooterLink>
            <FooterLink to={paths.returnPolicy()}>{t('footer.returnPolicy')}</FooterLink>
          </Links>
        </nav>
        <div>
          <Title>{t('footer.contact')}</Title>
          <Links as="div">
            <FooterLink to={`mailto:${t('footer.email')}`}>{t('footer.email')}</FooterLink>
            <Place>{t('footer.place')}</Place>
          </Links>
        </div>
      </Columns>
      <Base>
        {/* The home page is rendered when the app is built, which may have been last year. */}
        <span suppressHydrationWarning>{t('footer.rights', { year: new Date().getFullYear() })}</span>
        <BaseLinks>
          <FooterLink to={paths.terms()}>{t('footer.terms')}</FooterLink>
          <FooterLink to={paths.privacy()}>{t('footer.privacy')}</FooterLink>
        </BaseLinks>
        <Settings>
          <LanguageChoice />
          <Appearance />
        </Settings>
      </Base>
    </Ground>
  )
}

/** Each in its own words, for those who do not read the others. */
const languageNames: Readonly<Record<Language, string>> = { en: 'English', ms: 'Bahasa Melayu' }

function LanguageChoice() {
  const { t, language } = useTranslation()
  const choose = async (language: Language) => {
    try {
      const { chooseLanguage } = await import('../i18n/language-choice.ts')
      await chooseLanguage(language)
    } catch {
      showToast({ title: t('problem.loadTitle'), tone: 'destructive' })
    }
  }
  return (
    <Choices>
      <legend>{t('footer.language')}</legend>
      {languages.map((each) => (
        <Choice key={each} lang={each}>
          <input type="radio" name="language" checked={language === each} onChange={() => void choose(each)} />
          {languageNames[each]}
        </Choice>
      ))}
    </Choices>
  )
}

const choices: readonly SchemeChoice[] = ['system', 'light', 'dark']

function Appearance() {
  const { t } = useTranslation()
  const [choice, choose] = useSchemeChoice()
  return (
    <Choices>
      <legend>{t('footer.appearance')}</legend>
      {choices.map((each) => (
        <Choice key={each}>
          <input type="radio" name="appearance" checked={choice === each} onChange={() => choose(each)} />
          {t(`footer.${each}`)}
        </Choice>
      ))}
    </Choices>
  )
}

/** Kept clear of whatever bar a page puts at the bottom of a phone. */
const Ground = styled.footer`
  margin-top: auto;
  border-top: 1px solid ${color.line};
  padding-bottom: var(--bottom-bar, 0px);
  color: ${color.muted};
`

const Columns = styled.div`
  display: grid;
  gap: ${space(10)};
  max-width: calc(${width.page} + ${space(12)});
  margin: 0 auto;
  padding: ${space(12)} ${space(5)};
  ${from.tablet} { grid-template-columns: 2fr 1fr; padding: ${space(14)} ${space(6)}; }
  ${from.desktop} { grid-template-columns: 2fr 1fr 1fr 1fr; }
`

const Blurb = styled.p`
  max-width: 21.8em;
  margin-top: ${space(3)};
`

const Social = styled.ul`
  display: flex;
  gap: ${space(1)};
  margin: ${space(4)} 0 0 -${space(3)};
`

const SocialLink = styled.a`
  display: grid;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  border-radius: ${radius.round};
  color: ${color.muted};
  &:hover { color: ${color.ink}; }
  svg { width: 20px; fill: none; stroke: currentcolor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
`

const Title = styled.h2`
  margin-bottom: ${space(3)};
  color: ${color.ink};
  font-family: inherit;
  font-size: ${text.body};
  font-weight: ${weight.strong};
  letter-spacing: 0;
`

const Links = styled.div`
  display: grid;
  gap: ${space(1)};
  justify-items: start;
  ${phone} { gap: 0; }
`

const FooterLink = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(8)};
  ${phone} { min-height: ${space(11)}; }
  color: ${color.muted};
  text-decoration: none;
  &:hover { color: ${color.ink}; text-decoration: underline; }
`

const Place = styled.p`
  min-height: ${space(8)};
  line-height: ${space(8)};
  ${phone} { line-height: ${space(11)}; }
`

const Base = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)} ${space(8)};
  align-items: center;
  max-width: calc(${width.page} + ${space(12)});
  margin: 0 auto;
  padding: ${space(5)} ${space(5)} ${space(8)};
  font-size: ${text.small};
  ${from.tablet} { padding: ${space(5)} ${space(6)} ${space(8)}; }
`

const BaseLinks = styled.div`
  display: flex;
  gap: ${space(6)};
`

const Settings = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)} ${space(8)};
  ${from.tablet} { margin-left: auto; }
  ${phone} { width: 100%; }
`

const Choices = styled.fieldset`
  display: flex;
  gap: ${space(1)};
  align-items: center;
  margin: 0;
  padding: 0;
  border: 0;
  legend { float: left; margin-right: ${space(2)}; padding: 0; }
  ${phone} { flex-wrap: wrap; width: 100%; }
`

const Choice = styled.label`
  position: relative;
  display: inline-flex;
  align-items: center;
  min-height: ${space(8)};
  ${phone} { min-height: ${space(11)}; padding: 0 ${space(4)}; }
  padding: 0 ${space(3)};
  border: 1px solid transparent;
  border-radius: ${radius.round};
  cursor: pointer;
  &:hover { color: ${color.ink}; }
  &:has(:checked) { border-color: ${color.edge}; color: ${color.ink}; font-weight: ${weight.strong}; }
  &:has(:focus-visible) { outline: 2px solid ${color.accent}; outline-offset: 2px; }
  input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
`
