import type { OAuthProviders } from '../oauth/oauth.ts'
import { ProviderRefusal } from './provider-errors.ts'

/** The providers that the protocol's own server knows besides email. */
const otherProviders = [
  'anonymous_users',
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'phone',
  'slack',
  'slack_oidc',
  'spotify',
  'twitch',
  'twitter',
  'workos',
  'zoom',
] as const

/** What of the provider is turned off. */
export interface ProviderSwitches {
  /** Nobody new, whichever way they come. */
  readonly isSignUpDisabled: boolean
  /** Neither registering nor signing in with an address and a password. */
  readonly isEmailDisabled: boolean
}

export const everythingOn: ProviderSwitches = { isSignUpDisabled: false, isEmailDisabled: false }

/** @throws ProviderRefusal in the words of the protocol, when nobody can register with an address */
export function requireSignUps({ isSignUpDisabled, isEmailDisabled }: ProviderSwitches): void {
  if (isSignUpDisabled) {
    throw new ProviderRefusal(422, 'signup_disabled', 'Signups not allowed for this instance')
  }
  if (isEmailDisabled) throw new ProviderRefusal(400, 'email_provider_disabled', 'Email signups are disabled')
}

/** @throws ProviderRefusal when nobody can sign in with a password */
export function requireEmailLogins({ isEmailDisabled }: ProviderSwitches): void {
  if (isEmailDisabled) throw new ProviderRefusal(400, 'email_provider_disabled', 'Email logins are disabled')
}

/** What a client may ask before it offers a way of signing in. */
export function settingsJson(settings: {
  readonly isAutoconfirmed: boolean
  readonly oauthProviders: OAuthProviders
  readonly switches: ProviderSwitches
}) {
  const isSetUp = otherProviders.map((name) => [name, settings.oauthProviders.has(name)] as const)
  return {
    external: { ...Object.fromEntries(isSetUp), email: !settings.switches.isEmailDisabled },
    disable_signup: settings.switches.isSignUpDisabled,
    mailer_autoconfirm: settings.isAutoconfirmed,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
  }
}
