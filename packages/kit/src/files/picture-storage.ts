import { join } from 'node:path'
import type { Logger } from '../service/logger.ts'
import { storeInBucket } from './bucket-storage.ts'
import { type ImageStorage, storeOnDisk } from './image-storage.ts'

interface StorageConfig {
  readonly dataDir: string
  readonly s3Endpoint?: string | undefined
  readonly s3Bucket?: string | undefined
  readonly s3Region: string
  readonly s3AccessKeyId?: string | undefined
  readonly s3SecretAccessKey?: string | undefined
}

/** Where a service keeps its pictures: below a folder of the bucket when there is one, else of the data directory. */
export function openPictureStorage(config: StorageConfig, folder: string, log: Logger): ImageStorage {
  const { s3Endpoint, s3Bucket, s3Region, s3AccessKeyId = '', s3SecretAccessKey = '' } = config
  if (s3Endpoint === undefined || s3Bucket === undefined) return storeOnDisk(join(config.dataDir, folder))
  const bucket = storeInBucket(
    {
      endpoint: s3Endpoint,
      bucket: s3Bucket,
      region: s3Region,
      accessKeyId: s3AccessKeyId,
      secretAccessKey: s3SecretAccessKey,
    },
    folder,
  )
  // Said at once, and no reason not to start: it may come back, and everything else works.
  bucket.check().catch((error: unknown) => log.error({ err: error }, 'pictures cannot be reached'))
  return bucket
}
