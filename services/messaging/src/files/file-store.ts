import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { isStorageKey } from '@wangian/kit/files/image-storage.ts'
import { z } from 'zod'
import type { FileRow } from '../conversations/message-store.ts'

/** Every statement about files in conversations; messages are read with theirs. */

/** A file that is being sent. */
export async function insertFile(executor: Executor, file: FileRow & { readonly uploaderId: number }): Promise<void> {
  await executor.query(sql.unsafe`
    insert into message_files (storage_key, uploader_id, name, format, bytes, width_px, height_px)
    values (${file.storageKey}, ${file.uploaderId}, ${file.name}, ${file.format}, ${file.bytes}, ${file.widthPx},
            ${file.heightPx})`)
}

/** Gives a file to its message, whose it is for good. @returns whether the message has none yet */
export async function giveFile(transaction: Transaction, storageKey: string, messageId: number): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    update message_files set message_id = ${messageId}
     where storage_key = ${storageKey} and message_id is null
       and not exists (select from message_files where message_id = ${messageId})`)
  return rowCount === 1
}

const BytesRow = z.object({ bytes: z.number() })

export async function sumUploaded(executor: Executor, uploaderId: number): Promise<number> {
  return executor.oneFirst(sql.type(BytesRow)`
    select coalesce(sum(bytes), 0)::float8 as bytes from message_files where uploader_id = ${uploaderId}`)
}

const SentRow = z.object({
  format: z.enum(['webp', 'pdf', 'doc', 'docx']),
  name: z.string(),
  widthPx: z.number().nullable(),
})

/** A file for one of the two people whose conversation it is in; `null` for everybody else, and for what is no key. */
export async function findSentFile(
  executor: Executor,
  storageKey: string,
  userId: number,
): Promise<z.infer<typeof SentRow> | null> {
  if (!isStorageKey(storageKey)) return null
  return executor.maybeOne(sql.type(SentRow)`
    select f.format, f.name, f.width_px as "widthPx"
      from message_files f join messages m on m.id = f.message_id
     where f.storage_key = ${storageKey} and (m.sender_id = ${userId} or m.receiver_id = ${userId})`)
}

const StorageKeyRow = z.object({ storageKey: z.string() })

/** Files that belong to no message for so long that nobody is sending them any more. */
export async function listUnsent(executor: Executor, olderThanS: number): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(StorageKeyRow)`
    select storage_key as "storageKey" from message_files
     where message_id is null and created_at < clock_timestamp() - make_interval(secs => ${olderThanS}) limit 1000`)
}

export async function forgetFile(executor: Executor, storageKey: string): Promise<void> {
  await executor.query(sql.unsafe`
    delete from message_files where storage_key = ${storageKey} and message_id is null`)
}
