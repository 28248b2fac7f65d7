// Import directions, and files that nothing imports. Run by `npm test`; by hand: node packages/repository-rules/src/boundaries.ts
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser'
import { boundaryRules, entries, tests } from './boundary-rules.ts'
import { rootDirectory } from './repository.ts'

/** What was looked at below one workspace folder. */
export interface Coverage {
  readonly modules: number
  /** Imports of files of this repository, by any file of the workspace. */
  readonly imports: number
}

export interface BoundaryReport {
  /** One line per import that breaks a rule, with the rule and what to do instead. */
  readonly violations: readonly string[]
  /** Paths of files that nothing imports; of files that only tests import, too, unless they are for tests. */
  readonly unused: readonly string[]
  readonly coverage: ReadonlyMap<string, Coverage>
}

/** The folders of a checkout that have a package.json of their own, e.g. `packages/kit` and `web`. */
export function workspacesOf(directory: string): readonly string[] {
  const inside = (folder: string) =>
    existsSync(join(directory, folder)) ? readdirSync(join(directory, folder)).map((name) => `${folder}/${name}`) : []
  return [...inside('packages'), ...inside('services'), 'infra', 'web'].filter((folder) =>
    existsSync(join(directory, folder, 'package.json')),
  )
}

/** Follows every import below `directory`, a checkout, by its absolute path without links. */
export async function examineBoundaries(directory: string): Promise<BoundaryReport> {
  const workspaces = workspacesOf(directory)
  const { output } = await cruise(
    [...workspaces],
    {
      baseDir: directory,
      // The only parser here that sees type imports: TypeScript 7 has no API, and acorn reads what is left without types.
      parser: 'swc',
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      exclude: { path: String.raw`(^|/)(dist|\.data[^/]*|test-results|playwright-report)/` },
      validate: true,
      ruleSet: { forbidden: [...boundaryRules] },
    },
    {
      exportsFields: ['exports'],
      conditionNames: ['import', 'browser', 'node', 'default', 'types'],
    },
  )
  const result = output as ICruiseResult
  const coverage = new Map<string, Coverage>()
  for (const workspace of workspaces) {
    const modules = result.modules.filter(({ source }) => source.startsWith(`${workspace}/`) && /\.tsx?$/.test(source))
    const imports = modules.flatMap((module) => module.dependencies).filter((dependency) => isOurs(dependency.resolved))
    coverage.set(workspace, { modules: modules.length, imports: imports.length })
  }
  const violations = result.summary.violations.map((violation) => {
    const comment = boundaryRules.find((rule) => rule.name === violation.rule.name)?.comment
    const circle = violation.cycle?.map((step) => ` -> ${step.name}`).join('') ?? ` -> ${violation.to}`
    return `${violation.rule.name}: ${violation.from}${circle}\n    ${comment}`
  })
  return { violations, unused: unusedFiles(result.modules), coverage }
}

/**
 * The cruiser passes silently when it sees no TypeScript at all (TypeScript 7 without @swc/core, a changed folder).
 * @returns one line per workspace in which it saw no module, or no import between our files
 */
export function blindSpots(report: BoundaryReport): readonly string[] {
  return [...report.coverage]
    .filter(([, { modules, imports }]) => modules === 0 || imports === 0)
    .map(([workspace, { modules, imports }]) => `${workspace}: saw ${modules} TypeScript files and ${imports} imports`)
}

/** knip would do this, but it takes all files of a package with `exports` by pattern for entries. */
function unusedFiles(modules: readonly IModule[]): readonly string[] {
  const isTest = (path: string) => new RegExp(tests).test(path)
  const used = new Set<string>()
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) if (!isTest(source) || isTest(resolved)) used.add(resolved)
  }
  return modules
    .map(({ source }) => source)
    .filter((path) => isOurs(path) && !used.has(path) && !entries.some((entry) => entry.test(path)))
}

function isOurs(path: string): boolean {
  return /^(packages|services|infra|web)\//.test(path) && !path.includes('node_modules')
}

if (import.meta.main) {
  const report = await examineBoundaries(rootDirectory)
  const blind = blindSpots(report)
  const unused = report.unused.map((path) => `unused: ${path}\n    nothing but tests imports it, if anything at all`)
  const problems = [...report.violations, ...unused, ...blind]
  for (const line of problems) process.stderr.write(`${line}\n`)
  for (const [workspace, { modules, imports }] of report.coverage) {
    process.stdout.write(`${workspace}: ${modules} files, ${imports} imports\n`)
  }
  process.exitCode = problems.length === 0 ? 0 : 1
}
