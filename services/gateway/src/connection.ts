import type { NatsConnection } from '@nats-io/transport-node'

/** Tells whenever the connection to the bus goes away or comes back; ends with the connection. */
export async function followConnection(nats: NatsConnection, onChange: (isUp: boolean) => void): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type === 'disconnect' || status.type === 'staleConnection') onChange(false)
    else if (status.type === 'reconnect') onChange(true)
  }
}
