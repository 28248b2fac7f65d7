import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '../bus/requests.ts'
import { Rejection } from '../errors.ts'

/**
 * Whoever does something must be an administrator now, whatever their token says.
 * @throws Rejection('admin-access-required')
 */
export async function requireAdministrator(nats: NatsConnection, userId: number): Promise<void> {
  const { isAdministrator } = await ask(nats, 'identity', identityRequests.getAdministrator, { userId })
  if (!isAdministrator) throw new Rejection('admin-access-required')
}
