import multipart from '@fastify/multipart'
import { IMAGE_BYTES_MAX, imageMessages, imageUpload } from '@wangian/contracts/pictures.ts'
import { Rejection } from '../errors.ts'
import { createGate } from '../gate.ts'
import type { Caller } from '../http/auth.ts'
import { type App, type AppRequest, requireSelf } from '../http/http.ts'

/** One file, few and short fields. */
const formLimits = {
  fileSize: IMAGE_BYTES_MAX,
  files: 1,
  fields: 10,
  parts: 11,
  fieldSize: 1024,
  headerPairs: 20,
}
/** The form parser does not look at it. */
const FIELD_NAME_LENGTH_MAX = 100
/** Each may hold a whole file in memory while it arrives. */
const RECEIVING_MAX = 24
/** All pictures of a listing. */
const RECEIVING_OF_ONE_MAX = 5
/** Fields in which clients name themselves. */
const claims = new Set(['sellerId', 'userId'])

/** Lets in as many uploads as there is memory for, and few of one person: whoever sends slowly keeps a place for minutes. */
export interface UploadGate {
  /**
   * Runs the work of this person when there is room.
   * @throws Rejection('rate-limited') when this person has enough to do; Rejection('unavailable') when everybody together has
   */
  run<Result>(userId: number, work: () => Promise<Result>): Promise<Result>
}

export function createUploadGate({ rateLimitFactor }: Pick<App, 'rateLimitFactor'>): UploadGate {
  const gate = createGate({ runningMax: RECEIVING_MAX, waitingMax: 0 })
  const counts = new Map<number, number>()
  return {
    async run(userId, work) {
      const count = counts.get(userId) ?? 0
      if (count >= RECEIVING_OF_ONE_MAX * rateLimitFactor) throw new Rejection('rate-limited')
      counts.set(userId, count + 1)
      try {
        return await gate.run(work)
      } finally {
        const left = (counts.get(userId) ?? 1) - 1
        if (left > 0) counts.set(userId, left)
        else counts.delete(userId)
      }
    },
  }
}

/** Calls `addRoutes` with a scope of its own: nowhere else is a form a body that we take. */
export function withUploads(app: App, addRoutes: (scope: App) => void): void {
  void app.register((scope, _options, done) => {
    void scope.register(multipart, { limits: formLimits })
    addRoutes(scope as App)
    done()
  })
}

/**
 * Reads the form of an upload into memory, where an upload that breaks off leaves nothing behind.
 * @throws Rejection('too-large') beyond 5 MiB; Rejection('bad-request') when it is no form with a file `image`;
 * Rejection('forbidden') when it says that somebody else than `user` sends it
 */
export async function readImageUpload(request: AppRequest, user: Caller): Promise<Buffer> {
  if (!request.isMultipart()) throw new Rejection('unsupported-type')
  let bytes: Buffer | undefined
  let claimedIds: number[] = []
  try {
    for await (const part of request.parts()) {
      if (part.fieldname.length > FIELD_NAME_LENGTH_MAX) throw new Rejection('too-large')
      if (part.type === 'file') {
        const content = await part.toBuffer()
        if (part.fieldname === imageUpload.field) bytes = content
      } else if (part.valueTruncated) {
        throw new Rejection('too-large')
      } else if (claims.has(part.fieldname)) {
        claimedIds = [...claimedIds, idFrom(part.fieldname, part.value)]
      }
    }
  } catch (error) {
    throw asRejection(error)
  }
  if (bytes === undefined || bytes.length === 0) throw new Rejection('bad-request', 'Image is required')
  for (const id of claimedIds) requireSelf(user, id)
  return bytes
}

function idFrom(name: string, value: unknown): number {
  if (typeof value !== 'string' || !/^[1-9]\d{0,15}$/.test(value)) {
    throw new Rejection('bad-request', `${name} is not valid`)
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
