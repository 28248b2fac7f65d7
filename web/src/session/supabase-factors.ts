import { type NewApp, ProviderError, type SecondFactors } from './auth-provider.ts'
import { granted, type ProviderEndpoint, type SupabaseClient } from './supabase-client.ts'

/** What an app puts beside the address of the account. */
const issuer = 'Wangian'
const appName = 'Authenticator app'

export function supabaseFactors(client: SupabaseClient, endpoint: ProviderEndpoint): SecondFactors {
  const { mfa } = client
  return {
    async list() {
      const { totp } = granted(await mfa.listFactors())
      const apps = totp.map(({ id, friendly_name: name = appName, created_at: addedAt }) => ({ id, name, addedAt }))
      // Of projects, few have recovery codes.
      if (!endpoint.isEmbedded) return { apps, codesLeft: null }
      // There are none without an app, and asking for them would be refused.
      return { apps, codesLeft: apps.length === 0 ? 0 : await codesLeft(client) }
    },
    async begin(): Promise<NewApp> {
      const { all } = granted(await mfa.listFactors())
      // What somebody began and left.
      for (const { id, status } of all) if (status === 'unverified') granted(await mfa.unenroll({ factorId: id }))
      const names = new Set(all.filter(({ status }) => status === 'verified').map(({ friendly_name }) => friendly_name))
      let friendlyName = appName
      for (let number = 2; names.has(friendlyName); number += 1) friendlyName = `${appName} ${number}`
      const { id, totp } = granted(await mfa.enroll({ factorType: 'totp', friendlyName, issuer }))
      return { id, picture: totp.qr_code, secret: totp.secret }
    },
    async confirm(factorId, code) {
      return granted(await mfa.challengeAndVerify({ factorId, code: withoutBlanks(code) })).access_token
    },
    async remove(factorId) {
      granted(await mfa.unenroll({ factorId }))
      // The token at hand still says that a factor was shown.
      const { data } = await client.refreshSession()
      return data.session?.access_token ?? null
    },
    async newCodes() {
      const first = await mfa.recoveryCodes.generate()
      const hasSome = first.error?.code === 'mfa_verified_factor_exists'
      return granted(hasSome ? await mfa.recoveryCodes.regenerate() : first).codes
    },
    show: (typed) => showFactor(client, endpoint, typed),
  }
}

/** Shows a second factor in the session of this client. @returns its new token @throws {ProviderError} */
export async function showFactor(
  { mfa }: SupabaseClient,
  { isEmbedded }: ProviderEndpoint,
  typed: string,
): Promise<string> {
  const code = withoutBlanks(typed)
  if (!/^\d{6}$/.test(code)) return granted(await mfa.recoveryCodes.verify({ code })).access_token
  const { totp } = granted(await mfa.listFactors())
  let refusal: unknown = new ProviderError('There is no authenticator app', 'mfa_factor_not_found')
  // Ours looks for the code at all apps by itself: asked again, it would count another wrong one.
  for (const { id: factorId } of isEmbedded ? totp.slice(0, 1) : totp) {
    try {
      return granted(await mfa.challengeAndVerify({ factorId, code })).access_token
    } catch (error) {
      // It may be that of another app.
      refusal = error
    }
  }
  throw refusal
}

/** 0 also for somebody who never had any. */
async function codesLeft({ mfa }: SupabaseClient): Promise<number> {
  const status = await mfa.recoveryCodes.getStatus()
  return status.error?.code === 'mfa_factor_not_found' ? 0 : granted(status).remaining
}

function withoutBlanks(typed: string): string {
  return typed.replaceAll(/\s/g, '')
}
