import multipart from '@fastify/multipart'
import { IdParam } from '@wangian/contracts/ids.ts'
import { IMAGE_BYTES_MAX, imageUpload } from '@wangian/contracts/pictures.ts'
import type { Upload } from '@wangian/contracts/route.ts'
import { Rejection } from '../errors.ts'
import type { Caller } from '../http/auth.ts'
import { addressKey } from '../http/client-address.ts'
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
/** So many places are for people who have none yet, at addresses that have few: some who send slowly must not take all. */
const LEFT_FOR_OTHERS = 12
const RECEIVING_OF_ADDRESS_FEW = 3
/** Fields in which clients name themselves. */
const claims = new Set(['sellerId', 'userId'])

/**
 * Lets in as many uploads as there is memory for, and few of one person: whoever sends slowly keeps a place for minutes. Nor can somebody with many
 * accounts keep all of them.
 */
export interface UploadGate {
  /**
   * Runs the work of this person when there is room.
   * @param ip where they send from
   * @throws Rejection('rate-limited') when this person has enough to do; Rejection('unavailable') when everybody together has
   */
  run<Result>(sender: { readonly userId: number; readonly ip: string }, work: () => Promise<Result>): Promise<Result>
}

export function createUploadGate({ rateLimitFactor }: Pick<App, 'rateLimitFactor'>): UploadGate {
  const ofUsers = new Counts<number>()
  const ofAddresses = new Counts<string>()
  let receiving = 0
  return {
    async run({ userId, ip }, work) {
      const address = addressKey(ip)
      const count = ofUsers.of(userId)
      if (count >= RECEIVING_OF_ONE_MAX * rateLimitFactor) throw new Rejection('rate-limited')
      const isOther = count === 0 && ofAddresses.of(address) < RECEIVING_OF_ADDRESS_FEW * rateLimitFactor
      if (receiving >= (isOther ? RECEIVING_MAX : RECEIVING_MAX - LEFT_FOR_OTHERS)) throw new Rejection('unavailable')
      ofUsers.add(userId, 1)
      ofAddresses.add(address, 1)
      receiving += 1
      try {
        return await work()
      } finally {
        receiving -= 1
        ofUsers.add(userId, -1)
        ofAddresses.add(address, -1)
      }
    },
  }
}

/** How many there are of each; what there are none of is forgotten. */
class Counts<Key> {
  readonly #counts = new Map<Key, number>()

  of(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: Key, more: number): void {
    const count = this.of(key) + more
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
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

/** What a form holds: one file in memory, and its fields as they came. */
export interface UploadedForm {
  readonly bytes: Buffer
  /** What the client calls the file. */
  readonly fileName: string
  readonly fields: ReadonlyMap<string, string>
}

/**
 * Reads the form of an upload into memory, where an upload that breaks off leaves nothing behind.
 * @param upload.missing what a person is told who sends no file
 * @throws Rejection('too-large') beyond what the route takes; Rejection('bad-request') when it is no form with a file in `field`;
 * Rejection('forbidden') when it says that somebody else than `user` sends it
 */
export async function readUpload(
  request: AppRequest,
  user: Caller,
  { field, tooLarge, missing }: Pick<Upload, 'field' | 'tooLarge'> & { readonly missing: string },
): Promise<UploadedForm> {
  if (!request.isMultipart()) throw new Rejection('unsupported-type')
  let file: Pick<UploadedForm, 'bytes' | 'fileName'> | undefined
  const fields = new Map<string, string>()
  const claimedIds: number[] = []
  try {
    for await (const part of request.parts()) {
      if (part.fieldname.length > FIELD_NAME_LENGTH_MAX) throw new Rejection('too-large')
      if (part.type === 'file') {
        const bytes = await part.toBuffer()
        if (part.fieldname === field) file = { bytes, fileName: part.filename ?? '' }
      } else if (part.valueTruncated) {
        throw new Rejection('too-large')
      } else {
        const value = String(part.value)
        if (claims.has(part.fieldname)) claimedIds.push(idFrom(part.fieldname, value))
        fields.set(part.fieldname, value)
      }
    }
  } catch (error) {
    throw asRejection(error, tooLarge)
  }
  if (file === undefined || file.bytes.length === 0) throw new Rejection('bad-request', missing)
  for (const id of claimedIds) requireSelf(user, id)
  return { ...file, fields }
}

/** The file `image` of a form, as {@link readUpload} reads it. */
export async function readImageUpload(request: AppRequest, user: Caller): Promise<Buffer> {
  return (await readUpload(request, user, { ...imageUpload, missing: 'Image is required' })).bytes
}

/**
 * An id in a field of a form.
 * @throws Rejection('bad-request') when it is none
 */
export function idFrom(name: string, value: string | undefined): number {
  const id = IdParam.safeParse(value)
  if (!id.success) throw new Rejection('bad-request', `${name} is not valid`)
  return id.data
}

/** The form parser throws plain errors for malformed forms and codes for limits. */
function asRejection(error: unknown, tooLarge: string): Rejection {
  if (error instanceof Rejection) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_REQ_FILE_TOO_LARGE') return new Rejection('too-large', tooLarge)
  if (typeof code === 'string' && code.endsWith('_LIMIT')) return new Rejection('too-large')
  return new Rejection('bad-request', 'The upload is not a valid form')
}
