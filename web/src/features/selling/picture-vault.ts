const databaseName = 'wangian-drafts'
const storeName = 'pictures'

interface StoredFile {
  readonly draft: string
  readonly key: string
  readonly name: string
  readonly type: string
  /** Bytes and no file: not every browser keeps files. */
  readonly bytes: ArrayBuffer
}

/*
 * The files of drafts, which are too large for local storage. A browser without a database, or with a full one, keeps none:
 * then a draft comes back without its new pictures, and says so.
 */

/** @returns whether it is kept */
export async function keepFile(draft: string, key: string, file: File): Promise<boolean> {
  return await attempt(false, async (database) => {
    const stored: StoredFile = { draft, key, name: file.name, type: file.type, bytes: await bytesOf(file) }
    await done(database.transaction(storeName, 'readwrite').objectStore(storeName).put(stored))
    return true
  })
}

/** The files of a draft by their keys. */
export async function readFiles(draft: string): Promise<ReadonlyMap<string, File>> {
  return await attempt(new Map(), async (database) => {
    const request = database.transaction(storeName).objectStore(storeName).getAll(ofDraft(draft))
    const stored = (await done(request)) as StoredFile[]
    return new Map(stored.map(({ key, name, type, bytes }) => [key, new File([bytes], name, { type })]))
  })
}

export async function forgetFile(draft: string, key: string): Promise<void> {
  await attempt(undefined, async (database) => {
    await done(database.transaction(storeName, 'readwrite').objectStore(storeName).delete([draft, key]))
  })
}

/** Forgets all files of a draft. */
export async function forgetFiles(draft: string): Promise<void> {
  await attempt(undefined, async (database) => {
    await done(database.transaction(storeName, 'readwrite').objectStore(storeName).delete(ofDraft(draft)))
  })
}

function ofDraft(draft: string): IDBKeyRange {
  // An array comes after every text.
  return IDBKeyRange.bound([draft], [draft, []])
}

async function attempt<Result>(otherwise: Result, work: (database: IDBDatabase) => Promise<Result>): Promise<Result> {
  try {
    const database = await openDatabase()
    try {
      return await work(database)
    } finally {
      database.close()
    }
  } catch {
    return otherwise
  }
}

async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: ['draft', 'key'] })
  return await done(request)
}

async function done<Result>(request: IDBRequest<Result>): Promise<Result> {
  return await new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** A copy that no other realm owns. */
async function bytesOf(file: File): Promise<ArrayBuffer> {
  return new Uint8Array(await file.arrayBuffer()).slice().buffer
}
