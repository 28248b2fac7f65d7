import { randomUUID } from 'node:crypto'
import { accountRoutes } from '@wangian/contracts/account.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { createPictureFiles, type PictureFiles } from '@wangian/kit/files/picture-files.ts'
import { openPictureStorage } from '@wangian/kit/files/picture-storage.ts'
import { servePictures } from '@wangian/kit/files/serve-pictures.ts'
import { createUploadGate, readImageUpload, withUploads } from '@wangian/kit/files/uploads.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { pastFailures } from '@wangian/kit/past-failures.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import type { Config } from '../config.ts'
import type { AuthProvider } from '../sessions/auth-provider.ts'
import { getActiveAccount } from './active-account.ts'
import { userDecider, userStream } from './domain.ts'
import { currentUserOf } from './presenter.ts'
import {
  deleteUnusedFile,
  findPicture,
  insertUnusedFile,
  listRemovableFiles,
  pictureKinds,
  postponeUnusedFile,
  releaseUnusedFile,
  replacePicture,
} from './profile-store.ts'

const HOUR_MS = 60 * 60 * 1000
const UPLOADS_PER_HOUR_MAX = 30
/** A file that belongs to nobody this long after it was announced is one that a crash left. */
const PENDING_MAX_MS = HOUR_MS
const REMOVED_AT_ONCE_MAX = 100
/** So much later a file is tried again that could not be removed: meanwhile no upload waits for it. */
const TRIED_AGAIN_AFTER_MS = HOUR_MS

const uploadRoutes = { avatar: accountRoutes.uploadAvatar, cover: accountRoutes.uploadCover } as const

export interface PictureDependencies {
  readonly pool: DatabasePool
  readonly authProvider: Pick<AuthProvider, 'kind' | 'isFactorRequired'>
  readonly files: PictureFiles
  readonly now: () => Date
  /** Called after something was added to the log. */
  readonly onAppended: () => void
}

/** Where the pictures of people are kept. */
export function openProfilePictures(context: { readonly config: Config; readonly log: Logger }): PictureFiles {
  return createPictureFiles(openPictureStorage(context.config, 'profile-images', context.log))
}

/** Pictures and cover photos of people. */
export function addPictureRoutes(app: App, { pool, authProvider, files, now, onAppended }: PictureDependencies): void {
  const uploads = createRateLimiter(app, { limit: UPLOADS_PER_HOUR_MAX, windowMs: HOUR_MS })
  const gate = createUploadGate(app)

  servePictures(app, accountRoutes.getProfileImage, files, (name) => findPicture(pool, name))
  withUploads(app, (scope) => {
    for (const kind of pictureKinds) {
      handle(scope, uploadRoutes[kind], async ({ user, request }) => {
        await getActiveAccount(pool, user.id)
        uploads.take(user.id)
        const { storageKey, widthPx } = await gate.run({ userId: user.id, ip: request.ip }, async () =>
          files.keep(await readImageUpload(request, user), (key) => insertUnusedFile(pool, key, PENDING_MAX_MS)),
        )
        const at = now().toISOString()
        const picture = { name: randomUUID(), userId: user.id, kind, storageKey, widthPx }
        try {
          await runCommand({
            pool,
            decider: userDecider,
            stream: userStream(user.id),
            command: { type: 'UpdateProfile', at },
            metadata: { actorId: user.id, correlationId: request.id, causationId: null, commandId: null },
            project: (transaction) => replacePicture(transaction, picture, at),
          })
        } catch (error) {
          // If it was committed all the same, the file is not among the unused ones any more.
          await releaseUnusedFile(pool, storageKey).catch(() => {})
          throw error
        } finally {
          await removeUnusedFiles(pool, files, request.log)
        }
        onAppended()
        return { status: 200, body: await currentUserOf({ pool, authProvider }, user) }
      })
    }
  })
}

/**
 * Removes files that belong to nobody: replaced pictures, those of erased people, and what a crash left. What does not
 * work now is tried again later.
 */
export async function removeUnusedFiles(
  pool: DatabasePool,
  files: PictureFiles,
  log: Pick<Logger, 'warn'>,
  signal?: AbortSignal,
): Promise<void> {
  const remove = async (storageKey: string) => {
    try {
      await files.discard(storageKey)
    } catch (error) {
      await postponeUnusedFile(pool, storageKey, TRIED_AGAIN_AFTER_MS)
      throw error
    }
    await deleteUnusedFile(pool, storageKey)
  }
  try {
    await pastFailures(await listRemovableFiles(pool, REMOVED_AT_ONCE_MAX), remove, signal)
  } catch (error) {
    log.warn({ err: error }, 'files that nobody uses could not be removed')
  }
}
