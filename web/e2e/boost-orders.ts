import { BoostOrderPlaced, boostRoutes } from '@wangian/contracts/boost.ts'
import { signFields } from '../../services/boost/src/payment/x-signature.ts'
import { sandboxKeys } from '../../services/boost/src/sandbox/sandbox-keys.ts'
import { post, siteUrl, tokenOf } from './site.ts'

/** The smallest package, for one product. */
const PACKAGE_ID = 1

/** Sarah orders a boost for a product of hers, which waits to be paid. */
export async function orderBoost(productId: number): Promise<BoostOrderPlaced> {
  const order = { boostPackageId: PACKAGE_ID, productIds: [productId] }
  return await post(boostRoutes.createOrder.path, order, BoostOrderPlaced, await tokenOf('sarah'))
}

/** Sarah pays it. */
export async function payBoost({ paymentUrl }: BoostOrderPlaced): Promise<void> {
  const response = await fetch(`${paymentUrl}/pay`, { method: 'POST', redirect: 'manual' })
  if (response.status !== 303) throw new Error(`POST ${paymentUrl}/pay: ${response.status}`)
}

/** The payment provider tells of a payment of that bill that is not what the order costs. @returns the id of the bill */
export async function tellOfWrongAmount(paymentUrl: string): Promise<string> {
  const id = new URL(paymentUrl).pathname.split('/').at(-1) ?? ''
  const paid = { paid: 'true', amount: '1', paid_amount: '1', paid_at: '2026-11-23 08:15:09 +0800' }
  const fields = { id, collection_id: sandboxKeys.collectionId, ...paid }
  const body = new URLSearchParams({ ...fields, x_signature: signFields(fields, sandboxKeys.signatureKey) })
  const response = await fetch(new URL(boostRoutes.receiveCallback.path, siteUrl()), { method: 'POST', body })
  if (response.status !== 400) throw new Error(`A payment that fits no order is answered ${response.status}`)
  return id
}
