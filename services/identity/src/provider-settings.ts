import type { OAuthProviders } from './oauth.ts'

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

/** What a client may ask before it offers a way of signing in. */
export function settingsJson(settings: { readonly isAutoconfirmed: boolean; readonly oauthProviders: OAuthProviders }) {
  const isSetUp = otherProviders.map((name) => [name, settings.oauthProviders.has(name)] as const)
  return {
    external: { ...Object.fromEntries(isSetUp), email: true },
    disable_signup: false,
    mailer_autoconfirm: settings.isAutoconfirmed,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
  }
}
