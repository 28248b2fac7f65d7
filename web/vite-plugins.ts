import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

/** What only services and the documentation of the API read of routes and shapes. */
const documentation =
  /\bsummary:\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"),|\brefusals: \[[^\]]*\],|\s*\.meta\(\{ id: '\w+' \}\)/g

export function withoutDocumentation(): Plugin {
  return {
    name: 'without-documentation',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contracts\/src\/.*\.ts$/ },
      handler: (code) => ({ code: code.replace(documentation, ''), map: null }),
    },
  }
}

/**
 * Asks for the files that a part of the app needs beside its own, all at once, and waits for the styles among them. Vite's own does the same
 * for nonces, for styles that are there already and for browsers that know no modules, of which there are none here, in 3 kB.
 */
const preload = `
const asked = new Map()
const ask = (file) => {
  if (asked.has(file)) return asked.get(file)
  const isStyle = file.endsWith('.css')
  const link = Object.assign(document.createElement('link'), {
    rel: isStyle ? 'stylesheet' : 'modulepreload',
    crossOrigin: '',
    href: '/' + file,
  })
  const done = isStyle && new Promise((resolve, reject) => {
    link.onload = resolve
    link.onerror = () => {
      asked.delete(file)
      reject(new Error('Cannot load ' + file))
    }
  })
  asked.set(file, done)
  document.head.append(link)
  return done
}
export const __vitePreload = async (load, files = []) => {
  await Promise.all(files.map(ask))
  return load()
}`

export function smallPreload(): Plugin {
  return {
    name: 'small-preload',
    apply: 'build',
    transform: { filter: { id: /vite\/preload-helper\.js$/ }, handler: () => ({ code: preload, map: null }) },
  }
}

/** What makes up rules for browsers that have not known `es2022` for years; styled-components calls it when it is asked to, only. */
export function withoutVendorPrefixes(): Plugin {
  return {
    name: 'without-vendor-prefixes',
    apply: 'build',
    transform: {
      filter: { id: /stylis\/src\/Prefixer\.js$/ },
      handler: () => ({ code: 'export const prefix = (value) => value', map: null }),
    },
  }
}

/** What does for Reacts before 18 what ours does itself. */
export function withoutStoreShim(): Plugin {
  return {
    name: 'without-store-shim',
    apply: 'build',
    transform: {
      filter: { id: /use-sync-external-store\/shim\/index\.js$/ },
      handler: () => ({ code: "module.exports = require('react')", map: null }),
    },
  }
}

/** What of zod no page asks for, by the file that it is in: half of what zod is. */
const zodLeftOut: readonly { readonly file: RegExp; readonly leave: (code: string) => string }[] = [
  // What it can say about schemas as JSON Schema, which every schema refers to.
  {
    file: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/,
    leave: (code) => {
      const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name)
      const refuse = "const refuse = () => { throw new Error('JSON Schema is left out of the web app') }"
      return `${refuse}\n${names.map((name) => `export const ${name} = () => refuse`).join('\n')}`
    },
  },
  // What it says by itself of what does not fit. People read our words, and whoever looks for a fault has the code of each issue.
  { file: /zod\/v4\/locales\/en\.js$/, leave: () => "export default () => ({ localeError: () => 'Invalid input' })" },
  // How it reads values that hold themselves, which JSON never does. Parsers that it compiles, which a page of ours may not run, nor try to
  // (`script-src`). What `z.string().email()` and its like are, for which shapes have `z.email()`.
  {
    file: /zod\/v4\/classic\/schemas\.js$/,
    leave: (code) =>
      code
        .replace('core.config({ memoizer: core.memoizer() })', '')
        .replace('core.$ZodObjectJIT.init(', 'core.$ZodObject.init(')
        .replace(/(^export const ZodString = [^{]*\{[^}]*\}), \{$.*?^\}\);$/ms, '$1);'),
  },
]

export function leanZod(): Plugin {
  return {
    name: 'lean-zod',
    apply: 'build',
    transform: {
      filter: { id: zodLeftOut.map(({ file }) => file) },
      handler(code, id) {
        const left = zodLeftOut.find(({ file }) => file.test(id))?.leave(code)
        // A newer zod may be written otherwise.
        if (left === undefined || left === code) this.error(`nothing of ${id} could be left out`)
        return { code: left, map: null }
      },
    },
  }
}

/**
 * What of the router nothing here asks for, by what of its text goes and what stands there in its place: a third of what it is. Its package leads
 * browsers to the build that talks to developers, and the other one differs in one line only.
 */
const routerLeftOut: readonly (readonly [what: RegExp, instead: string])[] = [
  [/^var ENABLE_DEV_WARNINGS = true;$/m, 'const ENABLE_DEV_WARNINGS = false;'],
  // A name for React's own tools keeps a component in the build that nobody shows, as does a call of React's that may do anything.
  [/^\w+\.displayName = "\w+";$/gm, ''],
  [/^(var \w+ = )(React\w*\.(?:forwardRef|createContext|memo)\()/gm, '$1/* @__PURE__ */ $2'],
  // Its routers that load data, which we have none of. What such a one gave to a list of routes was its errors and its fallbacks.
  [/(?<=^ {2}let dataRouterState = )dataRouterOpts\?\.state;$/m, 'void 0;'],
  [/(?<=^ {2}return )isDataRoute \? useNavigateStable\(\) : (?=useNavigateUnstable\(\);$)/m, ''],
  [/^(var \w+ErrorBoundary = )class extends React\d+\.Component \{$.*?^\};$/gms, '$1{};'],
  // Pages that a server of its own has rendered, whose parts it fetches while a link is pointed at.
  [/^(function usePrefetchBehavior\(.*?\{\n).*?(?=^\}$)/ms, '$1  return [false, null, {}];\n'],
  [/^(function PrefetchPageLinks\(.*?\{\n).*?(?=^\}$)/ms, '$1  return null;\n'],
]

export function leanRouter(): Plugin {
  return {
    name: 'lean-router',
    apply: 'build',
    transform: {
      // The file that has what browsers run.
      filter: { id: /react-router\/dist\/development\/chunk-\w+\.mjs$/, code: 'function BrowserRouter(' },
      handler(code) {
        let left = code
        for (const [what, instead] of routerLeftOut) {
          const before = left
          left = left.replace(what, instead)
          // A newer router may be written otherwise.
          if (left === before) this.error(`nothing of the router is ${what.source}`)
        }
        return { code: left, map: null }
      },
    },
  }
}

/**
 * Imports what our pages name from the file that has it, past the package's index. To whoever splits the build, all that an index
 * leads to belongs to the page that imports one thing of it: the icons of all pages were in the file of the first one.
 */
export function directImports(packages: readonly string[]): Plugin {
  const known = new Map<string, Promise<Map<string, Exported>>>()
  const imports = new RegExp(`import \\{([^}]+)\\} from '(${packages.join('|')})'`, 'g')
  return {
    name: 'direct-imports',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/web\/src\/.*\.tsx?$/ },
      async handler(code, id) {
        const found = [...code.matchAll(imports)]
        let changed = code
        for (const [statement, names = '', packageName = ''] of found) {
          const index = (await this.resolve(packageName, id))?.id
          if (index === undefined) continue
          const exported = known.get(index) ?? exportsOf(index)
          known.set(index, exported)
          changed = changed.replace(statement, direct(names, packageName, await exported))
        }
        return found.length > 0 ? { code: changed, map: null } : null
      },
    },
  }
}

interface Exported {
  readonly file: string
  /** Its name in that file. */
  readonly name: string
}

/** What an index exports from other files, by name. */
async function exportsOf(index: string): Promise<Map<string, Exported>> {
  const text = await readFile(index, 'utf8')
  const statements = text.matchAll(/export \{([^}]+)\} from '([^']+)'/g)
  return new Map(
    [...statements].flatMap(([, names = '', path = '']) =>
      names.split(',').map((each): [string, Exported] => {
        const [name = '', as = name] = each.trim().split(' as ')
        return [as, { name, file: join(dirname(index), path) }]
      }),
    ),
  )
}

function direct(names: string, packageName: string, exported: Map<string, Exported>): string {
  return names
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('type '))
    .map((each) => {
      const [name = '', as = name] = each.split(' as ')
      const from = exported.get(name)
      return from ? `import { ${from.name} as ${as} } from '${from.file}'` : `import { ${each} } from '${packageName}'`
    })
    .join('\n')
}
