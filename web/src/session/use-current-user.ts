import { identityRoutes } from '@wangian/contracts/identity.ts'
import { useApi } from '../api/use-api.ts'
import { useUser } from './use-session.ts'

/**
 * All that the server tells the signed-in person about themself, read once and shared; nothing for a guest. What the token
 * says (`useUser`) is there at once and decides what may be seen.
 */
export function useCurrentUser() {
  const user = useUser()
  return useApi(identityRoutes.me, user && {})
}
