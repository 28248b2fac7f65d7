import { IMAGE_BYTES_MAX, imageMessages } from '@wangian/contracts/catalogue.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { AppRequest } from '@wangian/kit/http.ts'

/** For `@fastify/multipart`: one file, few and short fields. */
export const multipartOptions = {
  limits: {
    fileSize: IMAGE_BYTES_MAX,
    files: 1,
    fields: 10,
    parts: 11,
    fieldSize: 1024,
    fieldNameSize: 100,
    headerPairs: 20,
  },
}

export interface ImageUpload {
  readonly bytes: Buffer
  /** What the client says it is; to be compared with the token. */
  readonly sellerId: number | undefined
}

/**
 * Reads the form of an upload into memory, where an upload that breaks off leaves nothing behind.
 * @throws Rejection('too-large') beyond 5 MiB; Rejection('bad-request') when it is no form with a file `image`
 */
export async function readImageUpload(request: AppRequest): Promise<ImageUpload> {
  if (!request.isMultipart()) throw new Rejection('unsupported-type')
  let bytes: Buffer | undefined
  let sellerId: number | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        const content = await part.toBuffer()
        if (part.fieldname === 'image') bytes = content
      } else if (part.fieldname === 'sellerId') {
        sellerId = idFrom(part.value)
      }
    }
  } catch (error) {
    throw asRejection(error)
  }
  if (bytes === undefined || bytes.length === 0) throw new Rejection('bad-request', 'image is required')
  return { bytes, sellerId }
}

function idFrom(value: unknown): number {
  if (typeof value !== 'string' || !/^[1-9]\d{0,15}$/.test(value)) {
    throw new Rejection('bad-request', 'sellerId is not valid')
  }
  return Number(value)
}

/** The form parser throws plain errors for malformed forms and codes for limits. */
function asRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_REQ_FILE_TOO_LARGE') return new Rejection('too-large', imageMessages.tooLarge)
  if (typeof code === 'string' && code.endsWith('_LIMIT')) return new Rejection('too-large')
  return new Rejection('bad-request', 'The upload is not a valid form')
}
