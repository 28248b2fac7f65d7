import { fileURLToPath } from 'node:url'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { saveProfiles, saveRegistrations } from '@wangian/kit/people/people-store.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { type Sending, sendMessage } from '../conversations/commands.ts'
import { productionLimits } from '../conversations/domain.ts'
import { getMessage, type MessageRow } from '../conversations/message-store.ts'
import type { Attachments } from '../files/file-routes.ts'
import { saveProducts } from '../people-store.ts'

export const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))

export const ADMIN = 1
export const SARAH = 2
export const BALA = 5
export const MEI = 6
export const PRODUCT = 11
export const SENT_AT_MS = Date.UTC(2026, 10, 22, 8)

/** A buyer, another one, a seller and what she sells, and an administrator. */
export async function introducePeople(pool: DatabasePool): Promise<void> {
  await saveProfiles(pool, [
    { userId: SARAH, version: 1, person: { ...testPerson('sarah'), profileImage: 'sarahs-picture' } },
    { userId: BALA, version: 1, person: testPerson('bala') },
    { userId: MEI, version: 1, person: testPerson('mei') },
    { userId: ADMIN, version: 1, person: testPerson('admin') },
  ])
  const registeredAt = '2026-01-05T08:00:00.000Z'
  await saveRegistrations(
    pool,
    [SARAH, BALA, MEI, ADMIN].map((userId) => ({ userId, isSeller: userId === SARAH, registeredAt })),
  )
  await saveProducts(pool, [{ productId: PRODUCT, name: 'Santal 33', priceSen: 68_050, imageUrl: null }])
}

/** Where files are kept in a test. */
export function testAttachments(directory: string): Attachments {
  const storage = storeOnDisk(directory)
  return { storage, pictures: createPictureFiles(storage) }
}

let commands = 0

type Fields = Partial<Sending>

export function sending(fields: Fields = {}): Sending {
  commands += 1
  return {
    senderId: BALA,
    senderName: 'bala',
    receiverId: SARAH,
    content: 'Is it still there?',
    productId: PRODUCT,
    commandId: `0193a000-0000-7000-8000-${String(commands).padStart(12, '0')}`,
    nowMs: SENT_AT_MS,
    isAutomatic: false,
    metadata: { actorId: BALA, correlationId: 'test', causationId: null },
    ...fields,
  }
}

export async function send(pool: DatabasePool, fields: Fields = {}): Promise<MessageRow> {
  const sent = await pool.transaction((transaction) => sendMessage(transaction, sending(fields), productionLimits))
  return getMessage(pool, sent)
}
