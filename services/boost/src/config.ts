import { address, databaseAddress, loadConfig, serviceEnvironment } from '@wangian/kit/service/config.ts'
import { z } from 'zod'
import { createBillplz } from './payment/billplz.ts'
import type { PaymentProvider } from './payment/provider.ts'
import { sandboxKeys } from './sandbox/sandbox-keys.ts'

const BILLPLZ_URL = 'https://www.billplz.com/api'

const environment = serviceEnvironment
  .extend({
    databaseUrl: databaseAddress,
    /** Of the payment provider: all three or none, which means that nothing can be bought. */
    billplzApiKey: z.string().optional(),
    billplzCollectionId: z.string().optional(),
    billplzXSignatureKey: z.string().optional(),
    /** Of its API. Outside production it is that of a sandbox where nothing else is given. */
    billplzUrl: address('http:', 'https:').optional(),
  })
  .refine(
    ({ billplzApiKey, billplzCollectionId, billplzXSignatureKey }) =>
      new Set([billplzApiKey, billplzCollectionId, billplzXSignatureKey].map((value) => value === undefined)).size ===
      1,
    {
      path: ['billplzApiKey'],
      message: 'is needed together with BILLPLZ_COLLECTION_ID and BILLPLZ_X_SIGNATURE_KEY',
      params: { advice: 'it is needed together with BILLPLZ_COLLECTION_ID and BILLPLZ_X_SIGNATURE_KEY' },
    },
  )
type Config = z.infer<typeof environment>

export function readConfig(): Config {
  return loadConfig(environment)
}

/** Who takes the money; `null` where that is not configured. */
export function providerOf(config: Config): PaymentProvider | null {
  const { publicUrl, nodeEnv, billplzUrl } = config
  const isProduction = nodeEnv === 'production'
  const keys = keysOf(config) ?? (isProduction || billplzUrl === undefined ? null : sandboxKeys)
  if (keys === null) return null
  const url = billplzUrl ?? BILLPLZ_URL
  // The pages of a sandbox on this machine are shown by the gateway.
  const billOrigins = [url, ...(isProduction ? [] : [publicUrl])].map((each) => new URL(each).origin)
  return createBillplz({ ...keys, url, publicUrl, billOrigins })
}

function keysOf(config: Config) {
  const { billplzApiKey: apiKey, billplzCollectionId: collectionId, billplzXSignatureKey: signatureKey } = config
  if (apiKey === undefined || collectionId === undefined || signatureKey === undefined) return null
  return { apiKey, collectionId, signatureKey }
}
