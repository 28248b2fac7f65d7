import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { ReactionDeclaration } from '@wangian/kit/log/consumer.ts'
import type { Config } from './config.ts'
import { boostReactions, catalogueReactions, messagingReactions } from './reactions.ts'

/** What is done about what others say: mails. */
export function reactions({
  config,
  nats,
}: {
  readonly config: Pick<Config, 'publicUrl'>
  readonly nats: NatsConnection
}): ReactionDeclaration[] {
  return [
    { source: 'catalogue', name: 'notices', handlers: catalogueReactions({ ...config, nats }) },
    { source: 'messaging', name: 'notices', handlers: messagingReactions(config) },
    { source: 'boost', name: 'notices', handlers: boostReactions(config) },
  ]
}
