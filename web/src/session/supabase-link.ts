import { type LinkKind, type LinkProof, type OpenedLink, ProviderError } from './auth-provider.ts'
import { createApartClient, redeem, storedPersonId } from './supabase-apart.ts'
import { granted, type ProviderEndpoint, type SupabaseClient } from './supabase-client.ts'

/** @param accepting the client of this browser's session */
export async function openSupabaseLink(
  { endpoint, accepting }: { readonly endpoint: ProviderEndpoint; readonly accepting: SupabaseClient },
  kind: LinkKind,
  proof: LinkProof,
): Promise<OpenedLink> {
  const client = createApartClient(endpoint)
  const { user, session } = granted(await redeem(client, kind, proof))
  if (!user || !session) throw new ProviderError('The provider opened no session', undefined)
  return {
    email: user.email ?? '',
    isOwn: storedPersonId() === user.id,
    async accept() {
      granted(await accepting.setSession(session))
      return session.access_token
    },
    async drop() {
      await client.signOut({ scope: 'local' })
    },
  }
}
