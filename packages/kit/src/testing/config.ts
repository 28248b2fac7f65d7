import type { Bucket } from '../files/bucket-storage.ts'

/** The servers that all test files share. */
export interface TestServers {
  /** Of a superuser. */
  readonly databaseUrl: string
  readonly natsUrl: string
  /** Takes mails for everybody. */
  readonly smtpUrl: string
  /** Where those mails are shown: Mailpit's address, or our own catcher's. */
  readonly mails: { readonly mailpitUrl: string } | { readonly inboxUrl: string }
  /** Object storage, with a bucket that whoever uses it has to make. */
  readonly bucket: Bucket
}

/** The servers that the tests' global set-up started, read from the environment of the worker. */
export function testServers(): TestServers {
  const { TEST_SERVERS } = process.env
  if (!TEST_SERVERS) throw new Error('TEST_SERVERS is set by the global set-up')
  return JSON.parse(TEST_SERVERS) as TestServers
}

/** What a test's own NATS runs on: an image of a container where that is how the servers are started, or else a program. */
export function natsOfTests(): { readonly image: string } | { readonly binary: string } {
  const { TEST_NATS_IMAGE, TEST_NATS_BINARY } = process.env
  return TEST_NATS_IMAGE ? { image: TEST_NATS_IMAGE } : { binary: TEST_NATS_BINARY || 'nats-server' }
}
