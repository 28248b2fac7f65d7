import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { repositoryRoot } from '../../local/config.ts'

const container = z.object({
  image: z.string(),
  container_name: z.string().optional(),
  command: z.union([z.string(), z.array(z.string())]).default([]),
  environment: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.null()]).transform((value) => String(value ?? '')),
    )
    .default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  user: z.string().optional(),
})
export type Container = z.infer<typeof container>

const file = z.object({ services: z.record(z.string(), container) })

/** The containers of `docker-compose.yml` by name, as Compose reads them with these variables. */
export function readComposeFile(variables: Readonly<Record<string, string>> = {}): ReadonlyMap<string, Container> {
  const text = readFileSync(join(repositoryRoot, 'docker-compose.yml'), 'utf8')
  const filled = text.replace(/\$(?:\$|\{(\w+):-([^}]*)\})/g, (whole, name?: string, usual?: string) =>
    whole === '$$' ? '$' : variables[name ?? ''] || (usual ?? ''),
  )
  return new Map(Object.entries(file.parse(parse(filled, { merge: true })).services))
}

/** What the image sets for every container: `ENV` of the last stage of the Dockerfile. */
export function imageEnvironment(): Readonly<Record<string, string>> {
  const stages = readFileSync(join(repositoryRoot, 'infra/docker/Dockerfile'), 'utf8').split(/^FROM /m)
  const pairs = [...(stages.at(-1) ?? '').matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) => line.split(' '))
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
}
