import type { Config } from '../config.ts'
import { providerUrl } from '../sessions/tokens.ts'
import type { OAuthProvider, OAuthProviders } from './oauth.ts'
import { createFacebook } from './oauth-facebook.ts'
import { createFacebookStandIn } from './oauth-stand-in.ts'

type Settings = Pick<
  Config,
  | 'publicUrl'
  | 'nodeEnv'
  | 'authExternalFacebookEnabled'
  | 'facebookAppId'
  | 'facebookAppSecret'
  | 'facebookDialogUrl'
  | 'facebookGraphUrl'
>

/** The other sites with which people can sign in here: Facebook, or what stands for it, or in production none. */
export function oauthProviders(settings: Settings): OAuthProviders {
  const facebook = facebookOrStandIn(settings)
  return new Map(facebook === null ? [] : [[facebook.name, facebook]])
}

function facebookOrStandIn(settings: Settings): OAuthProvider | null {
  if (!settings.authExternalFacebookEnabled) return null
  const { facebookAppId: appId, facebookAppSecret: appSecret, nodeEnv } = settings
  const url = providerUrl(settings.publicUrl)
  if (appId !== undefined && appSecret !== undefined) {
    const { facebookDialogUrl: dialogUrl, facebookGraphUrl: graphUrl } = settings
    return createFacebook({ appId, appSecret, dialogUrl, graphUrl, callbackUrl: `${url}/callback` })
  }
  return nodeEnv === 'production' ? null : createFacebookStandIn(url)
}
