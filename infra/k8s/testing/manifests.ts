import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'

/** One object of the cluster. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  // biome-ignore lint/suspicious/noExplicitAny: its schema is what the test asks.
  readonly spec?: any
}

const directory = join(import.meta.dirname, '..')
const kustomization = z.object({
  resources: z.array(z.string()),
  configMapGenerator: z.tuple([z.object({ name: z.string(), literals: z.array(z.string()) })]),
  patches: z.tuple([z.object({ path: z.string(), target: z.object({ kind: z.string() }) })]),
})

/** By what kustomize tells the entries of a list apart; other lists are replaced. */
const keys: Readonly<Record<string, string>> = {
  containers: 'name',
  ports: 'containerPort',
  volumes: 'name',
  volumeMounts: 'mountPath',
}

/** What `kubectl apply -k` would send, but for the namespace, the tag of the image and the suffix of the ConfigMap's name. */
export function readManifests(): {
  readonly manifests: readonly Manifest[]
  readonly environment: Readonly<Record<string, string>>
} {
  const { resources, configMapGenerator, patches } = kustomization.parse(readYaml('kustomization.yaml'))
  const [{ path, target }] = patches
  const patch = readYaml(path) as Manifest
  const documents = resources.flatMap((name) => parseAllDocuments(readFileSync(join(directory, name), 'utf8')))
  const manifests = documents
    .map((document) => document.toJS() as Manifest)
    .map((one) => (one.kind === target.kind ? (merged(one, { ...patch, metadata: {} }) as Manifest) : one))
  const pairs = configMapGenerator[0].literals.map((literal) => /^([^=]+)=(.*)$/.exec(literal)?.slice(1) ?? [])
  return { manifests, environment: Object.fromEntries(pairs) }
}

/** The text of a file that is not applied itself. */
export function readYaml(name: string): unknown {
  return parse(readFileSync(join(directory, name), 'utf8'))
}

type Tree = Readonly<Record<string, unknown>>

function merged(base: unknown, patch: unknown, key = ''): unknown {
  if (Array.isArray(base) && Array.isArray(patch) && keys[key] !== undefined) return mergedLists(base, patch, keys[key])
  if (!isTree(base) || !isTree(patch)) return patch ?? base
  const names = new Set([...Object.keys(base), ...Object.keys(patch)])
  return Object.fromEntries([...names].map((name) => [name, merged(base[name], patch[name], name)]))
}

function mergedLists(base: readonly Tree[], patch: readonly Tree[], key: string): unknown[] {
  const patched = base.map((entry) =>
    merged(
      entry,
      patch.find((one) => one[key] === entry[key]),
    ),
  )
  return [...patched, ...patch.filter((entry) => !base.some((one) => one[key] === entry[key]))]
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
