/** The servers that the tests' global set-up started, read from the environment of the worker. */
export function testServers(): { readonly databaseUrl: string; readonly natsUrl: string } {
  const { TEST_DATABASE_URL: databaseUrl, TEST_NATS_URL: natsUrl } = process.env
  if (!databaseUrl || !natsUrl) throw new Error('TEST_DATABASE_URL and TEST_NATS_URL are set by the global set-up')
  return { databaseUrl, natsUrl }
}

/** The nats-server that the global set-up found, or the one on the PATH. */
export function natsServerBinary(): string {
  return process.env['TEST_NATS_BINARY'] || 'nats-server'
}
