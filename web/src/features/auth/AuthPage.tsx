import { useState } from 'react'
import { Link, Navigate, useLocation, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { z } from 'zod'
import { safeRedirect } from '../../lib/safe-redirect.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { isHalfIn } from '../../session/session.ts'
import { useSessionState } from '../../session/use-session.ts'
import { color, from, radius, space, text, width } from '../../theme/theme.ts'
import { Page } from '../../ui/Page.tsx'
import { Tab, TabGroup, TabList, TabPanel } from '../../ui/Tabs.tsx'
import { Banner } from './AuthForm.tsx'
import { ConfirmEmail } from './ConfirmEmail.tsx'
import { RegisterForm, useRegistration } from './RegisterForm.tsx'
import { ResetCode } from './ResetCode.tsx'
import { SecondFactorForm } from './SecondFactorForm.tsx'
import { SignInForm, useSigningIn } from './SignInForm.tsx'

/** What the forms leave with the address that they lead to. */
const MailedTo = z.object({ email: z.string() })

/** What the guard leaves when somebody was signed in until now. */
const Ended = z.object({ hasEnded: z.literal(true) })

type TabName = 'sign-in' | 'register'

/** Sign-in and registration. `opens` is the tab that the address asks for. */
export default function AuthPage({ opens = 'sign-in' }: { opens?: TabName }) {
  const { pathname, search } = useLocation()
  const tab = new URLSearchParams(search).get('tab') === 'register' ? 'register' : opens
  // News, such as a mail that was sent, begins with the tab that goes with it.
  return <AuthScreen key={`${pathname}${search}`} opens={tab} />
}

function AuthScreen({ opens }: { opens: TabName }) {
  const { t } = useTranslation()
  const session = useSessionState()
  const [parameters] = useSearchParams()
  const [tab, setTab] = useState<TabName>(opens)
  // Here and not in their tabs, so that a look at the other one empties nothing.
  const signingIn = useSigningIn()
  const registration = useRegistration()
  const redirect = safeRedirect(parameters.get('redirect'), window.location.origin)
  // Wherever somebody signs in, here or in another tab, they go on to where they were going.
  if (session.status === 'signed-in') return <Navigate to={redirect ?? paths.home()} replace />
  if (isHalfIn(session)) {
    return (
      <Page>
        <title>{`${t('auth.factorTitle')} · ${t('shell.brand')}`}</title>
        <Alone>
          <Title>{t('auth.factorTitle')}</Title>
          <SecondFactorForm />
        </Alone>
      </Page>
    )
  }
  return (
    <Page>
      <title>{`${t('auth.pageTitle')} · ${t('shell.brand')}`}</title>
      <Columns>
        <Forms>
          <Title>{tab === 'register' ? t('auth.registerTab') : t('auth.signInTab')}</Title>
          <News parameters={parameters} />
          <TabGroup value={tab} onValueChange={(value) => setTab(value as TabName)}>
            <TabList aria-label={t('auth.tabs')}>
              <Tab value="sign-in">{t('auth.signInTab')}</Tab>
              <Tab value="register">{t('auth.registerTab')}</Tab>
            </TabList>
            <TabPanel value="sign-in">
              <SignInForm forms={signingIn} redirect={redirect} />
            </TabPanel>
            <TabPanel value="register">
              <RegisterForm form={registration} redirect={redirect} />
            </TabPanel>
          </TabGroup>
          <p>
            {t('auth.looking')} <Link to={paths.products()}>{t('notFound.browse')}</Link>
          </p>
        </Forms>
        <Side>
          <SideTitle>{t('auth.sideTitle')}</SideTitle>
          <Promises>
            <li>{t('auth.promiseNiche')}</li>
            <li>{t('auth.promisePerfumers')}</li>
            <li>{t('auth.promisePersonal')}</li>
            <li>{t('auth.promiseEarly')}</li>
          </Promises>
        </Side>
      </Columns>
    </Page>
  )
}

/** What has happened before this page was opened, and what to do about it. */
function News({ parameters }: { parameters: URLSearchParams }) {
  const { t } = useTranslation()
  const { state } = useLocation()
  const email = MailedTo.safeParse(state).data?.email
  if (parameters.get('registration') === 'success') {
    return (
      <Banner tone="ok" title={t('auth.checkEmailTitle')}>
        <p>{email ? t('auth.checkEmailTextTo', { email }) : t('auth.checkEmailText')}</p>
        {email && <ConfirmEmail login={email} wasJustSent />}
      </Banner>
    )
  }
  if (parameters.get('reset') === 'requested') {
    return (
      <Banner tone="ok" title={t('auth.resetSentTitle')}>
        <p>{email ? t('auth.resetSentTextTo', { email }) : t('auth.resetSentText')}</p>
        {email && <ResetCode email={email} />}
      </Banner>
    )
  }
  if (Ended.safeParse(state).success) {
    return (
      <Banner tone="warn" title={t('auth.endedTitle')}>
        <p>{t('auth.endedText')}</p>
      </Banner>
    )
  }
  if (parameters.get('verified') !== 'true') return null
  return (
    <Banner tone="ok" title={t('auth.verifiedTitle')}>
      <p>{t('auth.verifiedText')}</p>
    </Banner>
  )
}

const Columns = styled.div`
  display: grid;
  gap: ${space(12)};
  align-items: start;
  justify-content: center;
  grid-template-columns: minmax(0, ${width.form});
  ${from.desktop} { grid-template-columns: minmax(0, ${width.form}) minmax(0, ${space(100)}); gap: ${space(24)}; }
`

const Forms = styled.div`
  display: grid;
  gap: ${space(6)};
  min-width: 0;
`

/** Without anything beside it. */
const Alone = styled(Forms)`
  max-width: ${width.form};
  margin: 0 auto;
`

const Title = styled.h1`
  font-size: ${text.display};
`

const Side = styled.aside`
  padding: ${space(10)};
  border-radius: ${radius.large};
  background: ${color.ground};
`

const SideTitle = styled.h2`
  font-size: ${text.heading};
`

const Promises = styled.ul`
  display: grid;
  margin-top: ${space(6)};
  li { padding: ${space(3)} 0; border-top: 1px solid ${color.line}; }
`
