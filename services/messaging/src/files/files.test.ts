import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { saveErasures } from '@wangian/kit/people/people-store.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { listFiles } from '@wangian/kit/testing/dump.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { pagesRead } from '@wangian/kit/testing/pages-read.ts'
import { hostileUploads, picture, uploadForm } from '@wangian/kit/testing/pictures.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import { changeBlock } from '../conversations/commands.ts'
import { insertErasedReaders } from '../conversations/erased-text-store.ts'
import { silentTeller } from '../notices/teller.ts'
import {
  BALA,
  introducePeople,
  MEI,
  migrationsDirectory,
  PRODUCT,
  SARAH,
  testAttachments,
} from '../testing/fixtures.ts'
import { keepUp } from '../upkeep.ts'
import { discardUnsent } from './file-routes.ts'
import { findSentFile } from './file-store.ts'

const STRANGER = MEI
const OWN_ID = '0193a000-0000-7000-8000-00000000000a'

let database: TestDatabase
let nats: TestNats
let tokens: TestTokens
let app: App
let directory: string
beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
  nats = await startTestNats()
  tokens = await createTestTokens()
  directory = await mkdtemp(join(tmpdir(), 'wangian-message-files-'))
  app = buildApp({
    pool: database.pool,
    nats: nats.connection,
    onAppended: () => {},
    attachments: testAttachments(directory),
    auth: tokens.authenticator,
    rateLimitFactor: 100,
  })
})
afterAll(async () => {
  await app.close()
  await nats.stop()
  await database.drop()
  await rm(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  await emptyTables(
    database.pool,
    'messages, message_texts, message_files, conversations, blocks, known_people, products',
  )
  await introducePeople(database.pool)
  await rm(directory, { recursive: true, force: true })
})

const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF')
const docx = (files: Record<string, Uint8Array> = {}) =>
  Buffer.from(
    zipSync({
      '[Content_Types].xml': strToU8(
        '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
      ),
      'word/document.xml': strToU8('<w:document/>'),
      ...files,
    }),
  )

/** The same archive with a second end, in the form for large ones, that names so many entries. */
function claimingEntries(archive: Buffer, count: number): Buffer {
  const end = archive.subarray(-22)
  const content = archive.subarray(0, -22)
  const largeEnd = Buffer.alloc(56)
  largeEnd.writeUInt32LE(0x06064b50, 0)
  largeEnd.writeUInt32LE(count, 32)
  // Where the table of contents begins.
  end.copy(largeEnd, 48, 16, 20)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeUInt32LE(content.length, 8)
  return Buffer.concat([content, largeEnd, locator, end])
}

async function upload(
  bytes: Buffer,
  { by = BALA, filename = 'photo.jpg', fields = {} }: { by?: number; filename?: string; fields?: object } = {},
) {
  const form = uploadForm(bytes, { field: 'file', filename, fields: { receiverId: String(SARAH), ...fields } })
  const headers = { ...form.headers, ...(await tokens.bearer({ id: by })) }
  const response = await app.inject({
    method: 'POST',
    url: '/api/messages/upload-file',
    headers,
    payload: form.payload,
  })
  return { status: response.statusCode, body: response.json() }
}
async function fetchFile(url: string, by: number, options: { method?: 'GET' | 'HEAD'; range?: string } = {}) {
  const { method = 'GET', range } = options
  const headers = { ...(await tokens.bearer({ id: by })), ...(range !== undefined && { range }) }
  return app.inject({ method, url, headers })
}

describe('a file', () => {
  it('that is a picture is encoded anew, and both see it in every width', async () => {
    const { status, body } = await upload(await picture('png'), { fields: { productId: String(PRODUCT) } })
    expect(status).toBe(200)
    const { message } = body
    expect(message).toMatchObject({
      messageType: 'FILE',
      content: 'photo.jpg',
      productId: PRODUCT,
      file: { name: 'photo.jpg', type: 'image/webp', width: 400, height: 500 },
    })
    expect(message.file_url).toBe(message.fileUrl)
    for (const id of [BALA, SARAH]) {
      const whole = await fetchFile(message.fileUrl, id)
      expect([whole.statusCode, whole.headers['content-type'], whole.headers['content-disposition']]).toEqual([
        200,
        'image/webp',
        'inline',
      ])
      const small = await fetchFile(`${message.fileUrl}?w=160`, id)
      expect(small.rawPayload.length).toBeLessThan(whole.rawPayload.length)
    }
  })

  it.each([
    ['pdf', () => pdf, 'application/pdf'],
    ['docx', () => docx(), 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ])('that is a %s comes as it was, to be saved and not to be shown', async (format, make, type) => {
    // An archive says when it was made.
    const bytes = make()
    const { body } = await upload(bytes, { filename: `C:\\fakepath\\receipt "1".${format}` })
    expect(body.message.file).toMatchObject({ type, bytes: bytes.length })
    const answer = await fetchFile(body.message.fileUrl, SARAH)
    expect(answer.rawPayload.equals(bytes)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'content-disposition': expect.stringMatching(/^attachment; filename\*=UTF-8''/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
    })
  })

  it.each([
    ['Receipt.PDF', 'Receipt.PDF'],
    ['receipt', 'receipt.pdf'],
    ['receipt.html', 'receipt.html.pdf'],
    ['receipt.pdf.bat', 'receipt.pdf.bat.pdf'],
    ['\u202E.', 'File.pdf'],
    [`${'x'.repeat(200)}.hta`, `${'x'.repeat(112)}.hta.pdf`],
    [`😀${'x'.repeat(115)}.pdf`, `${'x'.repeat(115)}.pdf`],
  ])('that is a document is saved as what it is, whatever it is called: %s', async (filename, name) => {
    const { body } = await upload(pdf, { filename })
    expect(body.message).toMatchObject({ content: name, file: { name } })
    const { headers } = await fetchFile(body.message.fileUrl, SARAH)
    expect(headers['content-disposition']).toBe(`attachment; filename*=UTF-8''${name}`)
  })

  it('may be asked for in parts', async () => {
    const { body } = await upload(pdf, { filename: 'a.pdf' })
    const part = async (range: string) => {
      const { statusCode, headers, rawPayload } = await fetchFile(body.message.fileUrl, SARAH, { range })
      return [statusCode, headers['content-range'], rawPayload.toString()]
    }
    const { length } = pdf
    expect(await part('bytes=0-3')).toEqual([206, `bytes 0-3/${length}`, '%PDF'])
    expect(await part('bytes=-5')).toEqual([206, `bytes ${length - 5}-${length - 1}/${length}`, '%%EOF'])
    expect(await part(`bytes=${length - 1}-99999`)).toEqual([206, `bytes ${length - 1}-${length - 1}/${length}`, 'F'])
    expect(await part(`bytes=${length}-`)).toEqual([416, `bytes */${length}`, ''])
    expect((await part('bytes=0-1,3-4'))[0]).toBe(200)
    const head = await fetchFile(body.message.fileUrl, SARAH, { method: 'HEAD' })
    expect([head.statusCode, head.headers['content-length'], head.rawPayload.length]).toEqual([200, String(length), 0])
  })

  it('is there for nobody else, by any way', async () => {
    const { body } = await upload(pdf, { filename: 'a.pdf' })
    const { fileUrl } = body.message
    for (const url of [fileUrl, `${fileUrl}?w=160`, `${fileUrl}.jpg`, `${fileUrl}.webp`, `${fileUrl}/../x`])
      for (const method of ['GET', 'HEAD'] as const)
        for (const range of [undefined, 'bytes=0-3'])
          expect((await fetchFile(url, STRANGER, { method, ...(range !== undefined && { range }) })).statusCode).toBe(
            404,
          )
    expect((await app.inject({ url: fileUrl })).statusCode).toBe(401)
    expect((await fetchFile(fileUrl.toUpperCase(), BALA)).statusCode).toBe(404)
  })

  it('is found without a look at all that others have sent, or its people have written', async () => {
    const { body } = await upload(pdf)
    const name = body.message.fileUrl.split('/').at(-1)
    const pages = await database.pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`
        insert into message_files (storage_key, uploader_id, name, format, bytes)
        select gen_random_uuid(), 9001, 'a.pdf', 'pdf', 1 from generate_series(1, 20000)`)
      await transaction.query(sql.unsafe`
        insert into messages (id, sender_id, receiver_id, kind, sent_at)
        select 1000 + number, ${SARAH}, 9001, 'text', now() from generate_series(1, 20000) as number`)
      await transaction.query(sql.unsafe`analyze message_files, messages`)
      return pagesRead(transaction, ['message_files', 'messages'], async () => {
        expect(await findSentFile(transaction, name, SARAH)).toMatchObject({ format: 'pdf' })
      })
    })
    expect(pages).toBeLessThan(100)
  })

  it('that is sent again with the same id is sent once', async () => {
    const fields = { clientMessageId: OWN_ID }
    const answers = await Promise.all([1, 2, 3].map(() => upload(pdf, { fields })))
    expect(new Set(answers.map(({ body }) => body.message.id)).size).toBe(1)
    expect((await upload(pdf, { fields })).body.message.id).toBe(answers[0]?.body.message.id)
    await discardUnsent({ pool: database.pool, attachments: testAttachments(directory), olderThanS: 0 })
    expect(await listFiles(directory)).toHaveLength(1)
  })

  it('goes when nobody is left to see it', async () => {
    await upload(await picture('png'))
    await saveErasures(database.pool, [BALA, SARAH])
    await insertErasedReaders(database.pool, [BALA, SARAH])
    await keepUp(
      { pool: database.pool, attachments: testAttachments(directory), teller: silentTeller, log: silentLogger },
      Date.now(),
    )
    expect(await listFiles(directory)).toEqual([])
    const rows = await database.pool.any(sql.unsafe`select from message_files`)
    expect(rows).toEqual([])
  })
})

describe('what is refused', () => {
  it.each(
    hostileUploads.flatMap(([name, bytes, code]) => (name.startsWith('a PDF') ? [] : [[name, code, bytes] as const])),
  )('%s: %s', async (_name, code, bytes) => {
    expect((await upload(await bytes())).body.code).toBe(code)
    await discardUnsent({ pool: database.pool, attachments: testAttachments(directory), olderThanS: -1 })
    expect(await listFiles(directory)).toEqual([])
  })

  it.each<readonly [string, () => Buffer]>([
    ['a page', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a page that is called a document', () => Buffer.from('<html><body>Hello</body></html>')],
    ['a document with macros', () => docx({ 'word/vbaProject.bin': strToU8('x') })],
    ['a document that unpacks to a thousand times its size', () => docx({ 'word/big.xml': new Uint8Array(4_000_000) })],
    ['another office document', () => Buffer.from('d0cf11e0a1b11ae1'.padEnd(2048, '0'), 'hex')],
  ])('%s', async (_what, bytes) => {
    const { status, body } = await upload(bytes(), { filename: 'letter.docx' })
    expect([status, body.code]).toEqual([415, 'unsupported-type'])
    expect(body.message).toBe('Invalid file type: Please select a JPEG, PNG, GIF, WebP, PDF, DOC or DOCX file')
  })

  it('a document that claims to hold more than anybody can look at, at once', async () => {
    const quickestMs = async (count: number) => {
      const tookMs: number[] = []
      for (let round = 0; round < 3; round += 1) {
        const startedAtMs = performance.now()
        const { status, body } = await upload(claimingEntries(docx(), count), { filename: 'letter.docx' })
        expect([status, body.code]).toEqual([415, 'unsupported-type'])
        tookMs.push(performance.now() - startedAtMs)
      }
      return Math.min(...tookMs)
    }
    expect(await quickestMs(10_000_000)).toBeLessThan(10 * (await quickestMs(10_000)))
  })

  it.each<readonly [number, string, object]>([
    [400, 'bad-request', { receiverId: '' }],
    [400, 'bad-request', { receiverId: 'sarah' }],
    [400, 'bad-request', { receiverId: '9007199254740992' }],
    [400, 'bad-request', { productId: '-1' }],
    [400, 'bad-request', { productId: '9007199254740992' }],
    [400, 'bad-request', { clientMessageId: 'mine' }],
    [403, 'own-message', { receiverId: String(BALA) }],
    [404, 'user-not-found', { receiverId: '999' }],
    [403, 'forbidden', { userId: String(MEI) }],
  ])('a form: %i %s', async (status, code, fields) => {
    expect(await upload(pdf, { fields })).toMatchObject({ status, body: { code } })
  })

  it('what somebody sends who is blocked', async () => {
    const block = { userId: SARAH, blockedId: BALA, isWanted: true, nowMs: Date.now() }
    const metadata = { actorId: SARAH, correlationId: 'test', causationId: null, commandId: null }
    await database.pool.transaction((transaction) => changeBlock(transaction, block, metadata))
    expect(await upload(pdf)).toMatchObject({ status: 403, body: { code: 'blocked' } })
  })

  it('more than one person may have', async () => {
    await database.pool.query(sql.unsafe`
      insert into message_files (storage_key, uploader_id, name, format, bytes)
      select gen_random_uuid(), ${BALA}, 'a', 'pdf', 5242880 from generate_series(1, 40)`)
    expect(await upload(pdf)).toMatchObject({ status: 413, body: { code: 'too-large' } })
    expect(await upload(pdf, { by: MEI })).toMatchObject({ status: 200 })
  })
})
