import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { repositoryRoot } from '../../local/config.ts'
import { imageEnvironment } from './compose-file.ts'

/** What a service makes of an environment. */
export interface ReadConfig {
  /** 0, or what the service would end with. */
  readonly status: number | null
  readonly problems: string
  readonly config: Readonly<Record<string, unknown>>
}

/**
 * Reads the configuration as the service itself does when its container starts with this environment.
 * @param script its `main.ts`, from the root of the repository
 */
export function readServiceConfig(script: string, environment: Readonly<Record<string, string>>): ReadConfig {
  const config = join(repositoryRoot, dirname(script), 'config.ts')
  const program = `const { readConfig } = await import(${JSON.stringify(config)}); console.log(JSON.stringify(readConfig()))`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH: process.env['PATH'], ...imageEnvironment(), ...environment },
    encoding: 'utf8',
  })
  return { status, problems: stderr, config: status === 0 ? JSON.parse(stdout) : {} }
}
