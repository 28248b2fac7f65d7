import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { takesEncoding } from '@wangian/kit/http/taken-encodings.ts'
import { LRUCache } from 'lru-cache'

const compress = promisify(brotliCompress)
/** A quarter of a millisecond for a list of products; the best one takes a hundred times as long for a tenth less. */
const QUALITY = 4
/** Less is sent in one packet anyway. */
const LENGTH_MIN = 1024
/** Of what is kept, compressed. */
const BYTES_MAX = 16 * 1024 * 1024

/**
 * Compresses answers, the same bytes once: lists that many look at come from the service again and again. An answer is known by a hash of all of it, so
 * what is found is never older, nor anybody else's, than what was asked for.
 */
export class CompressedAnswers {
  readonly #known = new LRUCache<string, Buffer>({ maxSize: BYTES_MAX, sizeCalculation: ({ length }) => length })

  /** @returns the body by Brotli, or `null` where its client wants none, or it is not worth it */
  async find(
    body: Buffer,
    asked: Pick<IncomingHttpHeaders, 'accept-encoding'>,
    answered: { readonly status: number; readonly headers: IncomingHttpHeaders },
  ): Promise<Buffer | null> {
    if (body.length < LENGTH_MIN || !takesEncoding(asked['accept-encoding'], 'br') || !isPlainJson(answered))
      return null
    const key = createHash('sha256').update(body).digest('base64')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
    const compressed = await compress(body, { params })
    this.#known.set(key, compressed)
    return compressed
  }
}

function isPlainJson({ status, headers }: { readonly status: number; readonly headers: IncomingHttpHeaders }): boolean {
  return (
    status === 200 &&
    headers['content-encoding'] === undefined &&
    headers['content-type']?.startsWith('application/json') === true
  )
}
