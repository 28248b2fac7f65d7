import { createHmac } from 'node:crypto'
import { startTestServer } from '@wangian/kit/testing/test-server.ts'

/** Somebody as Facebook knows them. */
export interface FacebookPerson {
  readonly id: string
  readonly email?: string
  readonly first_name?: string
  readonly last_name?: string
  readonly name?: string
}

export interface FakeFacebook {
  readonly appId: string
  readonly appSecret: string
  readonly dialogUrl: string
  readonly graphUrl: string
  /** Who is in front of the browser: agrees to everything, or to nothing. */
  person: FacebookPerson | null
  /** What the Graph API answers instead of what it should. */
  fault: { readonly path: string; readonly status: number; readonly body: string } | null
  /** What it refused, in its own words. */
  readonly refused: string[]
  stop(): Promise<void>
}

/** A server that does of Facebook's dialog and Graph API what a sign-in needs, and is as strict. */
export async function startFakeFacebook(): Promise<FakeFacebook> {
  const appId = '123456789012345'
  const appSecret = 'the-secret-of-the-app'
  const codes = new Map<string, { person: FacebookPerson; redirectUri: string; scopes: string[] }>()
  const tokens = new Map<string, { person: FacebookPerson; scopes: string[] }>()
  let count = 0

  const { url: base, stop } = await startTestServer((request, response, body) => {
    const url = new URL(request.url ?? '', 'http://facebook.test')
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const refuse = (message: string) => {
      facebook.refused.push(message)
      json(400, { error: { type: 'OAuthException', code: 100, message } })
    }
    if (facebook.fault?.path === url.pathname) {
      response.writeHead(facebook.fault.status).end(facebook.fault.body)
      return
    }
    switch (url.pathname) {
      case '/dialog/oauth': {
        const given = Object.fromEntries(url.searchParams)
        if (given.client_id !== appId || given.response_type !== 'code') return refuse('Invalid app ID')
        const redirectUri = given.redirect_uri ?? ''
        const back = new URL(redirectUri)
        back.searchParams.set('state', given.state ?? '')
        if (facebook.person === null) {
          back.searchParams.set('error', 'access_denied')
          back.searchParams.set('error_reason', 'user_denied')
          back.searchParams.set('error_description', 'Permissions error')
        } else {
          count += 1
          codes.set(`code-${count}`, {
            person: facebook.person,
            redirectUri,
            scopes: given.scope?.split(/[\s,]/) ?? [],
          })
          back.searchParams.set('code', `code-${count}`)
        }
        return response.writeHead(302, { location: back.href }).end()
      }
      case '/oauth/access_token': {
        const given = Object.fromEntries(new URLSearchParams(body.toString()))
        if (given.client_id !== appId || given.client_secret !== appSecret)
          return refuse('Error validating client secret.')
        const code = codes.get(given.code ?? '')
        if (code === undefined) return refuse('This authorization code has been used.')
        codes.delete(given.code ?? '')
        if (code.redirectUri !== given.redirect_uri) return refuse('Error validating verification code.')
        tokens.set(`token-${given.code}`, code)
        return json(200, { access_token: `token-${given.code}`, token_type: 'bearer', expires_in: 5_183_944 })
      }
      case '/me': {
        const accessToken = request.headers.authorization?.replace('Bearer ', '') ?? ''
        const token = tokens.get(accessToken)
        if (token === undefined) return refuse('Invalid OAuth access token.')
        const proof = createHmac('sha256', appSecret).update(accessToken).digest('hex')
        if (url.searchParams.get('appsecret_proof') !== proof) return refuse('Invalid appsecret_proof provided')
        const fields = url.searchParams.get('fields')?.split(',') ?? []
        const isShown = ([name]: [string, unknown]) =>
          name === 'id' || (fields.includes(name) && (name !== 'email' || token.scopes.includes('email')))
        return json(200, Object.fromEntries(Object.entries(token.person).filter(isShown)))
      }
      default:
        return refuse(`Unknown path components: ${url.pathname}`)
    }
  })
  const facebook: FakeFacebook = {
    appId,
    appSecret,
    dialogUrl: `${base}/dialog/oauth`,
    graphUrl: base,
    person: null,
    fault: null,
    refused: [],
    stop,
  }
  return facebook
}
