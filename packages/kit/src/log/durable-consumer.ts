import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { isConsumerNotFound } from './event-stream.ts'

/** How many events may be on their way to us, waiting or held at once. */
export const UNACKED_MAX = 256
const ACK_WAIT_MS = 30_000

/**
 * Makes sure of the durable consumer. One that was made for other events, or with other limits, is told the new ones and
 * goes on where it stands. One whose events are partly unacknowledged, because we or another process were
 * interrupted, is made anew from the first of those: JetStream would deliver them only after a while and behind later
 * ones. One that is ahead of a stream that lost its end is made anew as well.
 */
export async function ensureDurableConsumer(
  manager: JetStreamManager,
  stream: StreamInfo,
  durable: string,
  subject: string,
): Promise<void> {
  const { name } = stream.config
  const config: Partial<ConsumerConfig> = {
    durable_name: durable,
    filter_subject: subject,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: UNACKED_MAX,
    max_deliver: -1,
  }
  const found = await manager.consumers.info(name, durable).catch((error) => {
    if (isConsumerNotFound(error)) return undefined
    throw error
  })
  if (found === undefined) {
    await manager.consumers.add(name, { ...config, deliver_policy: DeliverPolicy.All })
    return
  }
  const isAhead = found.delivered.stream_seq > stream.state.last_seq
  if (found.num_ack_pending === 0 && !isAhead) {
    if (isChanged(found.config, config)) await manager.consumers.update(name, durable, config)
    return
  }
  await manager.consumers.delete(name, durable)
  const start = isAhead
    ? { deliver_policy: DeliverPolicy.All }
    : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: found.ack_floor.stream_seq + 1 }
  await manager.consumers.add(name, { ...config, ...start })
}

function isChanged(found: ConsumerConfig, wanted: Partial<ConsumerConfig>): boolean {
  return (
    found.filter_subject !== wanted.filter_subject ||
    found.max_ack_pending !== wanted.max_ack_pending ||
    found.ack_wait !== wanted.ack_wait
  )
}
