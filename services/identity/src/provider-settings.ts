/** The providers that the protocol's own server knows besides email; none of them is set up. */
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
export function settingsJson(settings: { readonly isAutoconfirmed: boolean }) {
  return {
    external: { ...Object.fromEntries(otherProviders.map((name) => [name, false])), email: true },
    disable_signup: false,
    mailer_autoconfirm: settings.isAutoconfirmed,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
  }
}
