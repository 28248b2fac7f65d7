// @vitest-environment node
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { beforeAll, describe, expect, it, vi } from 'vitest'

/** What browsers take is the first, and no more than that is promised; each addition must earn its place. */
const budgetBytes = { brotli: 126_400, gzip: 146_000 }
const buildTimeoutMs = 120_000

let chunks: readonly Rolldown.OutputChunk[]
beforeAll(async () => {
  // Tests run in a mode of their own, which is not what visitors get.
  vi.stubEnv('NODE_ENV', 'production')
  const built = await build({
    root: fileURLToPath(new URL('..', import.meta.url)),
    mode: 'production',
    logLevel: 'error',
    build: { write: false },
  })
  const files: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[] =
    ([built].flat() as Rolldown.RolldownOutput[])[0]?.output ?? []
  vi.unstubAllEnvs()
  chunks = files.filter((file) => file.type === 'chunk')
}, buildTimeoutMs)

/** The files that hold these modules, with all that they import before they run. */
function loadedWith(...modules: readonly string[]): Set<Rolldown.OutputChunk> {
  const loaded = new Set(
    chunks.filter((chunk) => chunk.moduleIds.some((id) => modules.some((each) => id.endsWith(each)))),
  )
  // A set goes on to what is added while it is walked through.
  for (const chunk of loaded) {
    for (const other of chunks) if (chunk.imports.includes(other.fileName)) loaded.add(other)
  }
  return loaded
}

const sizes = new Map<Rolldown.OutputChunk, Promise<{ brotli: number; gzipped: number }>>()

/** Most are loaded in every language, and compressing takes a second. */
function sizesOf(chunk: Rolldown.OutputChunk) {
  const known = sizes.get(chunk) ?? compressed(Buffer.from(chunk.code))
  sizes.set(chunk, known)
  return known
}

async function compressed(code: Buffer) {
  const brotli = (await promisify(brotliCompress)(code)).length
  return { brotli, gzipped: (await promisify(gzip)(code, { level: 9 })).length }
}

describe('what a first visit to the home page loads', () => {
  it.each(['english', 'malay'])(
    'keeps to its budget in %s',
    async (language) => {
      const loaded = loadedWith('/src/main.tsx', '/home/HomePage.tsx', '/ui/Toaster.tsx', `/i18n/${language}.ts`)
      expect(loaded.size).toBeGreaterThan(2)
      const each = await Promise.all([...loaded].map(sizesOf))
      expect(each.reduce((sum, { brotli }) => sum + brotli, 0)).toBeLessThan(budgetBytes.brotli)
      expect(each.reduce((sum, { gzipped }) => sum + gzipped, 0)).toBeLessThan(budgetBytes.gzip)
    },
    buildTimeoutMs,
  )

  it('has nothing of the auth client, the dialogs, the socket or the pages behind it', () => {
    const ids = [...loadedWith('/src/main.tsx', '/home/HomePage.tsx', '/ui/Toaster.tsx', '/i18n/english.ts')].flatMap(
      (chunk) => chunk.moduleIds,
    )
    expect(
      ids.filter((id) =>
        /@supabase|@base-ui|react-hook-form|\/i18n\/(en\.|ms|malay)|\/features\/(?!home\/)|\/live\/|\/messaging\.ts/.test(
          id,
        ),
      ),
    ).toEqual([])
  })
})

it('is built without the pages for those who work on it', () => {
  const ids = chunks.flatMap((chunk) => chunk.moduleIds)
  expect(ids.some((id) => id.endsWith('/src/routes.tsx'))).toBe(true)
  expect(ids.filter((id) => id.includes('/src/dev/'))).toEqual([])
})
