import { z } from 'zod'
import { languages } from './languages.ts'
import { Notice } from './notices.ts'
import { route } from './route.ts'

/** So many browsers of one person are told at most; a further one takes the place of the one that was not seen for longest. */
export const PUSH_DEVICES_MAX = 10

const ENDPOINT_LENGTH_MAX = 1_000

/** What a browser can be told of, each for itself: by what a notice is about. That an administrator has removed a listing is always told. */
export const pushTopics = ['auction', 'conversation', 'deal', 'favorite'] as const
export const PushTopic = z.enum(pushTopics)
export type PushTopic = z.infer<typeof PushTopic>

const Endpoint = z.string().max(ENDPOINT_LENGTH_MAX)

/** What a browser says of itself (RFC 8030 and RFC 8291), as `PushSubscription.toJSON()` has it. */
export const PushSubscription = z
  .object({
    /** Where the push service of the browser's maker takes messages to it: a secret of the browser and ours. */
    endpoint: Endpoint,
    keys: z.object({
      /** A point of the curve P-256, uncompressed. */
      p256dh: z.string().regex(/^[\w-]{87}=?$/),
      /** 16 bytes. */
      auth: z.string().regex(/^[\w-]{22}(==)?$/),
    }),
    /** What the person reads there. */
    language: z.enum(languages),
    topics: z.array(PushTopic).max(pushTopics.length),
  })
  .meta({ id: 'PushSubscription' })
export type PushSubscription = z.infer<typeof PushSubscription>

/** What is said to the browser, sealed for it alone. */
export const PushMessage = z.object({ language: z.enum(languages), notice: Notice })
export type PushMessage = z.infer<typeof PushMessage>

const Subscribed = z.object({ topics: z.array(PushTopic) })

export const pushRoutes = {
  getPushKey: route({
    method: 'GET',
    path: '/api/push/key',
    access: 'signed-in',
    summary: 'The public key that browsers subscribe with; null where notices are not pushed',
    answers: { 200: z.object({ key: z.string().nullable() }) },
  }),
  subscribePush: route({
    method: 'PUT',
    path: '/api/push/subscription',
    access: 'signed-in',
    summary: 'Notices are pushed to this browser until the session ends. Said again, it replaces what was said before',
    body: PushSubscription,
    answers: { 200: Subscribed },
    refusals: ['push-not-configured', 'unknown-push-service'],
  }),
  unsubscribePush: route({
    method: 'DELETE',
    path: '/api/push/subscription',
    access: 'signed-in',
    summary: 'Nothing is pushed to this browser of the caller any more',
    body: z.object({ endpoint: Endpoint }),
    answers: { 204: z.void() },
  }),
} as const
