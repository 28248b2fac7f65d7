import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { storeInBucket } from '@wangian/kit/files/bucket-storage.ts'
import { databaseServices } from '../local/services.ts'
import { ensureServiceRoles, isSameDatabase } from '../postgres/roles.ts'
import { loadPrepareConfig } from './config.ts'

/*
 * Runs before the services, at each start: gives each of them its role and schema in Postgres, with the password that its own secret has, and
 * makes the bucket for pictures. Tables are made by the services themselves.
 */

const config = loadPrepareConfig()
await prepareDatabase()
await prepareBucket()

async function prepareDatabase(): Promise<void> {
  const server = new URL(config.databaseUrl)
  const urls = databaseServices.map((service) => {
    const text = readFileSync(join(config.secretsDir, service, 'database-url'), 'utf8').trim()
    return { service, url: new URL(text) }
  })
  const here = urls.filter(({ url }) => isSameDatabase(url, server))
  await ensureServiceRoles({
    adminUrl: config.databaseUrl,
    database: decodeURIComponent(server.pathname.slice(1)),
    services: here.map(({ service }) => service),
    passwords: Object.fromEntries(here.map(({ service, url }) => [service, decodeURIComponent(url.password)])),
    roleNames: Object.fromEntries(here.map(({ service, url }) => [service, decodeURIComponent(url.username)])),
  })
  console.log(`Postgres has the roles and schemas of ${here.map(({ service }) => service).join(', ')}.`)
  for (const { service, url } of urls.filter((one) => !here.includes(one))) {
    console.log(`The database of ${service} is at ${url.host}, whose operator makes its role.`)
  }
}

async function prepareBucket(): Promise<void> {
  const { s3Endpoint, s3Bucket, s3Region, s3AccessKeyId, s3SecretAccessKey } = config
  const bucket = {
    endpoint: s3Endpoint,
    bucket: s3Bucket,
    region: s3Region,
    accessKeyId: s3AccessKeyId,
    secretAccessKey: s3SecretAccessKey,
  }
  await storeInBucket(bucket, '').ensure()
  console.log(`The bucket ${s3Bucket} is there.`)
}
