import { NotificationSettings } from '@wangian/contracts/account.ts'
import { type Executor, sql } from '@wangian/kit/database/postgres.ts'

/** What somebody who has never said anything gets: everything. */
const defaults: NotificationSettings = { sales: true, newReviews: true, lowStock: true }

export async function getNotificationSettings(executor: Executor, userId: number): Promise<NotificationSettings> {
  const saved = await executor.maybeOne(sql.type(NotificationSettings)`
    select sales, new_reviews as "newReviews", low_stock as "lowStock"
      from notification_settings where user_id = ${userId}`)
  return saved ?? defaults
}

export async function saveNotificationSettings(
  executor: Executor,
  userId: number,
  { sales, newReviews, lowStock }: NotificationSettings,
  at: string,
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into notification_settings (user_id, sales, new_reviews, low_stock, updated_at)
    values (${userId}, ${sales}, ${newReviews}, ${lowStock}, ${at})
    on conflict (user_id) do update
      set sales = excluded.sales, new_reviews = excluded.new_reviews, low_stock = excluded.low_stock,
          updated_at = excluded.updated_at`)
}
