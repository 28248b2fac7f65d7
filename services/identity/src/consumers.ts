import type { ConsumerDeclaration } from '@wangian/kit/log/consumer.ts'
import type { Config } from './config.ts'
import { catalogueReactions, messagingReactions } from './reactions.ts'

/** What this service does about events: mails. */
export function consumers({ config }: { readonly config: Pick<Config, 'publicUrl'> }): ConsumerDeclaration[] {
  return [
    { source: 'catalogue', name: 'notices', handlers: catalogueReactions(config), isReaction: true },
    { source: 'messaging', name: 'notices', handlers: messagingReactions(config), isReaction: true },
  ]
}
