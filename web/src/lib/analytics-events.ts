import { z } from 'zod'

/** A product as analytics knows it, or a package that is bought. */
const Item = z.strictObject({
  item_id: z.int(),
  item_name: z.string(),
  item_category: z.string(),
  price: z.number(),
  item_brand: z.string(),
  quantity: z.literal(1),
  item_list_name: z.string().optional(),
  /** From 0. */
  index: z.int().min(0).optional(),
})

const currency = z.literal('MYR')

/**
 * Everything that analytics is told, by name, with its exact parameters. The app takes only types from here, so that no visitor loads it;
 * the journeys hold what is really sent against it.
 */
export const analyticsEvents = {
  page_view: z.strictObject({ page_path: z.string(), page_title: z.string(), page_location: z.url() }),
  view_item: z.strictObject({ currency, value: z.number(), items: z.tuple([Item]) }),
  select_item: z.strictObject({ items: z.tuple([Item]) }),
  search: z.strictObject({ search_term: z.string(), search_results_count: z.int().min(0).optional() }),
  apply_filter: z.strictObject({ filter_type: z.string(), filter_value: z.string() }),
  share: z.strictObject({ content_type: z.literal('product'), content_id: z.int() }),
  place_bid: z.strictObject({ auction_id: z.int(), bid_amount: z.number(), currency }),
  send_message: z.strictObject({ recipient_type: z.literal('user') }),
  sign_up: z.strictObject({ method: z.enum(['email']) }),
  login: z.strictObject({ method: z.enum(['username', 'email', 'facebook', 'two_step']) }),
  view_boost_packages: z.strictObject({}),
  begin_checkout: z.strictObject({ currency, value: z.number(), items: z.tuple([Item]) }),
  purchase: z.strictObject({ transaction_id: z.string(), currency, value: z.number(), items: z.tuple([Item]) }),
  purchase_boost: z.strictObject({
    package_type: z.enum(['standard', 'premium']),
    duration_hours: z.int().positive(),
    value: z.number(),
  }),
  exception: z.strictObject({
    description: z.string(),
    fatal: z.literal(false),
    error_type: z.enum(['javascript_error', 'promise_rejection']),
    page: z.string(),
  }),
  timing_complete: z.strictObject({ name: z.string(), value: z.int().min(0), event_category: z.string() }),
} as const

export type AnalyticsEventName = keyof typeof analyticsEvents
export type AnalyticsParameters<Name extends AnalyticsEventName> = z.infer<(typeof analyticsEvents)[Name]>
export type AnalyticsItem = z.infer<typeof Item>
