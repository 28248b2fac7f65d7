import { createStore, delMany, getMany, keys, set } from 'idb-keyval'

interface StoredFile {
  readonly name: string
  readonly type: string
  /** Bytes and no file: not every browser keeps files. */
  readonly bytes: ArrayBuffer
}

const pictures = createStore('wangian-pictures', 'pictures')

/*
 * The files of drafts, which are too large for local storage. A browser without a database, or with a full one, keeps none:
 * then a draft comes back without its new pictures, and says so.
 */

/** @returns whether it is kept */
export async function keepFile(draft: string, key: string, file: File): Promise<boolean> {
  return await attempt(false, async () => {
    const stored: StoredFile = { name: file.name, type: file.type, bytes: await bytesOf(file) }
    await set([draft, key], stored, pictures)
    return true
  })
}

/** The files of a draft by their keys. */
export async function readFiles(draft: string): Promise<ReadonlyMap<string, File>> {
  return await attempt(new Map(), async () => {
    const found = await keysOf(draft)
    const stored = await getMany<StoredFile | undefined>(found, pictures)
    const files = new Map<string, File>()
    for (const [index, [, key]] of found.entries()) {
      const file = stored[index]
      // Another tab may have forgotten it in between.
      if (file !== undefined) files.set(key, new File([file.bytes], file.name, { type: file.type }))
    }
    return files
  })
}

export async function forgetFile(draft: string, key: string): Promise<void> {
  await attempt(undefined, async () => await delMany([[draft, key]], pictures))
}

/** Forgets all files of a draft. */
export async function forgetFiles(draft: string): Promise<void> {
  await attempt(undefined, async () => await delMany(await keysOf(draft), pictures))
}

/** Forgets the files of drafts that are no longer kept, which nobody may ever ask for again. */
export async function forgetLeftFiles(isKept: (draft: string) => boolean): Promise<void> {
  await attempt(undefined, async () => {
    const all = await keys<[draft: string, key: string]>(pictures)
    await delMany(
      all.filter(([draft]) => !isKept(draft)),
      pictures,
    )
  })
}

async function keysOf(draft: string): Promise<[draft: string, key: string][]> {
  const all = await keys<[draft: string, key: string]>(pictures)
  return all.filter(([of]) => of === draft)
}

async function attempt<Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch {
    return otherwise
  }
}

/** A copy that no other realm owns. */
async function bytesOf(file: File): Promise<ArrayBuffer> {
  return new Uint8Array(await file.arrayBuffer()).slice().buffer
}
