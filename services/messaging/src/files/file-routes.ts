import { randomUUID } from 'node:crypto'
import { RequestKey } from '@wangian/contracts/ids.ts'
import { messageFileMessages, messageFileUpload, messagingRoutes } from '@wangian/contracts/messaging.ts'
import { isVisibleName } from '@wangian/contracts/text.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { ImageStorage } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles, type PictureFiles } from '@wangian/kit/files/picture-files.ts'
import { openPictureStorage } from '@wangian/kit/files/picture-storage.ts'
import { readImageRequest } from '@wangian/kit/files/serve-pictures.ts'
import { createUploadGate, idFrom, readUpload, withUploads } from '@wangian/kit/files/uploads.ts'
import { type App, type AppReply, allowOnly, handle } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { pastFailures } from '@wangian/kit/past-failures.ts'
import type { ServiceContext } from '@wangian/kit/service/start-service.ts'
import type { Config } from '../config.ts'
import { sendMessage } from '../conversations/commands.ts'
import { limitsFor } from '../conversations/domain.ts'
import { type FileRow, findMessageOfCommand, getMessage } from '../conversations/message-store.ts'
import { fileTypes, presentMessage } from '../conversations/presenter.ts'
import { learnProduct } from '../requests.ts'
import { findSentFile, forgetFile, giveFile, insertFile, listUnsent, sumUploaded } from './file-store.ts'

const UPLOADS_PER_HOUR_MAX = 20
const BYTES_OF_ONE_MAX = 200 * 1024 * 1024
const NAME_LENGTH_MAX = 120
/** A file whose message did not come within this time is removed. */
const UNSENT_AGE_MAX_S = 60 * 60

/** Where files of conversations are: pictures as they are encoded anew, documents as they came. */
export interface Attachments {
  readonly storage: ImageStorage
  readonly pictures: PictureFiles
}

export interface FileDependencies {
  readonly pool: DatabasePool
  /** Where catalogue is asked what a message is about. */
  readonly nats: NatsConnection
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly attachments: Attachments
  readonly nowMs?: () => number
}

/** Where the configuration has them. */
export function openAttachments({ config, log }: Pick<ServiceContext<Config>, 'config' | 'log'>): Attachments {
  const storage = openPictureStorage(config, 'message-files', log)
  return { storage, pictures: createPictureFiles(storage) }
}

/** Pictures and documents in conversations, for the two people in them alone. */
export function addFileRoutes(app: App, dependencies: FileDependencies): void {
  withUploads(app, (scope) => addUpload(scope, dependencies))
  serveFiles(app, dependencies)
}

function addUpload(app: App, dependencies: FileDependencies): void {
  const { pool, onAppended, nowMs = Date.now } = dependencies
  const uploads = createRateLimiter(app, { limit: UPLOADS_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })
  const gate = createUploadGate(app)
  const limits = limitsFor(app.rateLimitFactor)
  const upload = { ...messageFileUpload, missing: 'File is required' }

  handle(app, messagingRoutes.uploadFile, async ({ user, request }) => {
    uploads.take(user.id)
    const { form, asked } = await gate.run({ userId: user.id, ip: request.ip }, async () => {
      const form = await readUpload(request, user, upload)
      return { form, asked: readFields(form.fields) }
    })
    const known = await findMessageOfCommand(pool, user.id, asked.commandId)
    if (known !== null) return { status: 200, body: { success: true, message: presentMessage(known) } }
    if (asked.productId !== null)
      await learnProduct(dependencies, { ...asked, senderId: user.id, productId: asked.productId })
    if ((await sumUploaded(pool, user.id)) + form.bytes.length > BYTES_OF_ONE_MAX)
      throw new Rejection('too-large', messageFileMessages.quota)
    const file = await keepFile(dependencies, user.id, { bytes: form.bytes, fileName: form.fileName })
    const sending = {
      ...asked,
      senderId: user.id,
      senderName: user.username,
      content: file.name,
      isFile: true,
      isAutomatic: false,
      nowMs: nowMs(),
      metadata: { actorId: user.id, correlationId: request.id, causationId: null },
    }
    const messageId = await pool.transaction(async (transaction) => {
      const id = await sendMessage(transaction, sending, limits)
      await giveFile(transaction, file.storageKey, id)
      return id
    })
    onAppended()
    return { status: 200, body: { success: true, message: presentMessage(await getMessage(pool, messageId)) } }
  })
}

/** @throws Rejection when it says nothing of to whom, or is no id */
function readFields(fields: ReadonlyMap<string, string>) {
  const receiver = fields.get('receiverId')
  if (receiver === undefined || receiver === '') throw new Rejection('bad-request', messageFileMessages.noConversation)
  const product = fields.get('productId') || null
  const commandId = RequestKey.optional().safeParse(fields.get('clientMessageId') || undefined)
  if (!commandId.success) throw new Rejection('bad-request', 'clientMessageId is not valid')
  return {
    receiverId: idFrom('receiverId', receiver),
    productId: product === null ? null : idFrom('productId', product),
    commandId: commandId.data ?? randomUUID(),
  }
}

/** Stores a file, of which the database knows before there is one: a crash cannot leave one that nobody knows. */
async function keepFile(
  { pool, attachments: { pictures, storage } }: Pick<FileDependencies, 'pool' | 'attachments'>,
  uploaderId: number,
  { bytes, fileName }: { readonly bytes: Buffer; readonly fileName: string },
): Promise<FileRow> {
  // Loaded with the first file, as what decodes pictures is.
  const { documentFormat } = await import('@wangian/kit/files/documents.ts')
  const format = await documentFormat(bytes)
  if (format !== null) {
    const name = shownName(fileName, `.${format}`)
    const document = { storageKey: randomUUID(), name, format, bytes: bytes.length, widthPx: null, heightPx: null }
    await insertFile(pool, { ...document, uploaderId })
    await storage.write(document.storageKey, `full.${format}`, bytes)
    return document
  }
  const facts = { name: shownName(fileName), format: 'webp', bytes: bytes.length } as const
  try {
    const kept = await pictures.keep(bytes, (storageKey, { widthPx, heightPx }) =>
      insertFile(pool, { ...facts, storageKey, uploaderId, widthPx, heightPx }),
    )
    return { ...facts, ...kept }
  } catch (error) {
    if (error instanceof Rejection && error.code === 'unsupported-type')
      throw new Rejection('unsupported-type', messageFileMessages.wrongType)
    throw error
  }
}

/**
 * What a sender calls a file, as far as it can be shown: no folders, nothing invisible.
 * @param ending of what it is, for what is saved: a PDF that is called a page or a script is opened as one
 */
function shownName(fileName: string, ending = ''): string {
  const given = (fileName.split(/[\\/]/).at(-1) ?? '').normalize('NFC').trim() || 'File'
  const name = (given.toLowerCase().endsWith(ending) ? given : `${given}${ending}`)
    .slice(-NAME_LENGTH_MAX)
    // The half of a sign that was cut through.
    .replace(/^[\uDC00-\uDFFF]/, '')
  return isVisibleName(name) ? name : `File${ending}`
}

function serveFiles(app: App, { pool, attachments }: FileDependencies): void {
  const route = messagingRoutes.getMessageFile
  const requireCaller = allowOnly(app, route.access)
  app.servedRoutes.push(route)
  app.route({
    method: route.method,
    url: route.path,
    onRequest: async (request) => {
      await requireCaller(request)
      if (readImageRequest(request) === null) throw new Rejection('not-found')
    },
    handler: async (request, reply) => {
      const wanted = readImageRequest(request)
      const { caller } = request
      const file = wanted && caller && (await findSentFile(pool, wanted.name, caller.id))
      if (!wanted || !file) throw new Rejection('not-found')
      const isPicture = file.format === 'webp'
      const widthPx =
        isPicture && wanted.widthPx !== null && wanted.widthPx < (file.widthPx ?? 0) ? wanted.widthPx : null
      const bytes = isPicture
        ? await attachments.pictures.variant(wanted.name, widthPx, 'webp')
        : await attachments.storage.read(wanted.name, `full.${file.format}`)
      if (bytes === null) throw new Rejection('not-found')
      const disposition = isPicture ? 'inline' : `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`
      void reply.type(fileTypes[file.format]).headers({
        'cache-control': 'private, no-cache',
        etag: `"${wanted.name}-${widthPx ?? 'full'}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'content-disposition': disposition,
        'accept-ranges': 'bytes',
      })
      if (request.headers['if-none-match'] === reply.getHeader('etag')) return reply.code(304).send()
      return sendPart(reply, bytes, request.headers.range)
    },
  })
}

/** The whole, or one range of it (RFC 9110, section 14); several at once are answered with the whole. */
function sendPart(reply: AppReply, bytes: Buffer, range: string | undefined): AppReply {
  const match = /^bytes=(\d{0,12})-(\d{0,12})$/.exec(range ?? '')
  const [, first = '', last = ''] = match ?? []
  if (match === null || (first === '' && last === '')) return reply.send(bytes)
  const from = first === '' ? Math.max(0, bytes.length - Number(last)) : Number(first)
  const to = first === '' || last === '' ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1)
  if (from > to) return reply.code(416).header('content-range', `bytes */${bytes.length}`).send()
  return reply
    .code(206)
    .header('content-range', `bytes ${from}-${to}/${bytes.length}`)
    .send(bytes.subarray(from, to + 1))
}

/** Removes files that never became a message, and those whose message nobody can read any more. */
export async function discardUnsent({
  pool,
  attachments,
  olderThanS = UNSENT_AGE_MAX_S,
  signal,
}: Pick<FileDependencies, 'pool' | 'attachments'> & {
  readonly olderThanS?: number
  readonly signal?: AbortSignal | undefined
}): Promise<void> {
  const discard = async (storageKey: string) => {
    await attachments.storage.remove(storageKey)
    await forgetFile(pool, storageKey)
  }
  await pastFailures(await listUnsent(pool, olderThanS), discard, signal)
}
