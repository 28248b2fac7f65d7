import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { type Plugin, rolldown } from 'rolldown'

/** These load compiled code from beside them. */
const nativePackages = /^(sharp|@node-rs\/argon2)$/

const native: Plugin = {
  name: 'native packages stay where they are',
  resolveId: {
    filter: { id: nativePackages },
    handler: (id, importer = import.meta.filename) => ({
      id: pathToFileURL(createRequire(importer).resolve(id)).href,
      external: 'absolute',
    }),
  },
}

const addresses: Plugin = {
  name: 'files beside a source are found where it is',
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: 'import.meta.url' },
    handler: (code, id) => ({
      code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
      map: null,
    }),
  },
}

/** With those of the packages a map would be ten times as large. */
const ownMaps: Plugin = {
  name: 'only our own lines are looked up',
  transform: {
    filter: { id: /node_modules/ },
    handler: (code) => ({ code, map: { version: 3, sources: [], names: [], mappings: '' } }),
  },
}

/**
 * `node bundle.ts <directory> <script> …`, at the root of a repository, writes each script with all that it imports into one file, with the names that
 * it has but without comments, below the directory and with its path in the repository: `services/identity/src/main.mjs`. What is imported later has a file
 * of its own.
 */
const [directory = '', ...scripts] = process.argv.slice(2)
try {
  for (const script of scripts) {
    const bundle = await rolldown({ input: script, platform: 'node', plugins: [native, addresses, ownMaps] })
    await bundle.write({
      dir: join(directory, relative(process.cwd(), dirname(script))),
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      sourcemap: true,
      sourcemapExcludeSources: true,
      // Node holds a text of other letters with two bytes for each: three megabytes more in each process.
      charset: 'ascii',
      comments: false,
    })
    await bundle.close()
  }
} catch (error) {
  console.error(stripVTControlCharacters((error as Error).message))
  process.exitCode = 1
}
