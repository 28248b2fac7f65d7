import { address, databaseAddress, loadConfig, pictureSettings, siteAddress } from '@wangian/kit/service/config.ts'
import { z } from 'zod'

/** What the making of secrets is told. */
export function loadSecretsConfig() {
  return loadConfig(
    z.object({
      secretsDir: z.string().default('secrets'),
      publicUrl: siteAddress('https:').default('https://localhost:8443'),
    }),
  )
}

/** What the preparation of the servers is told. */
export function loadPrepareConfig() {
  return loadConfig(
    z.object({
      secretsDir: z.string(),
      /** Of a role that may create roles and schemas. */
      databaseUrl: databaseAddress,
      s3Endpoint: address('http:', 'https:'),
      s3Bucket: pictureSettings.s3Bucket.unwrap(),
      s3Region: pictureSettings.s3Region,
      s3AccessKeyId: z.string(),
      s3SecretAccessKey: z.string(),
    }),
  )
}
