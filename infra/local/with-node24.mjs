// Runs a script of this repository on Node 24, whatever Node started this one (20 or newer):
// installs the dependencies when they are missing or out of date, then hands over to the Node that is one of them.
// Plain JavaScript without dependencies, because nothing is installed yet when it runs.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../..')
const pnpmPackage = 'pnpm@12.21.0'
const stampFile = join(root, 'node_modules', '.wangian-install')

const [script, ...scriptArguments] = process.argv.slice(2)
if (!script) fail('Usage: node infra/local/with-node24.mjs <script> [arguments]')
installDependencies()
run()

function installDependencies() {
  const wanted = fingerprint()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return
  console.log('Installing the dependencies …')
  const install = spawnSync('npx', ['--yes', pnpmPackage, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: root,
    encoding: 'utf8',
    // A wrapper script of npm's on Windows, which only a shell can start.
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: 'true' },
  })
  if (install.error?.code === 'ENOENT') fail('npx was not found. Install npm (it comes with Node.js) and try again.')
  if (install.status !== 0) {
    const output = `${install.stdout ?? ''}\n${install.stderr ?? ''}`
    console.error(lastLines(output, 25))
    fail(
      output.includes('OUTDATED_LOCKFILE')
        ? `A package.json has changed and pnpm-lock.yaml has not: run npx ${pnpmPackage} install`
        : `The dependencies could not be installed (npx ${pnpmPackage} install --frozen-lockfile).\n` +
            'The first start needs the npm registry: check the network connection and the registry and proxy settings.',
    )
  }
  writeFileSync(stampFile, wanted)
}

/** Changes whenever an install could have a different outcome. */
function fingerprint() {
  const manifests = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'infra/package.json', 'web/package.json']
  for (const folder of ['packages', 'services']) {
    for (const name of readdirSync(join(root, folder)).sort()) manifests.push(`${folder}/${name}/package.json`)
  }
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const manifest of manifests) {
    const file = join(root, manifest)
    if (existsSync(file)) hash.update(`${manifest}\n`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function run() {
  const node = nodeExecutable()
  const child = spawn(
    node,
    ['--import', join(here, 'end-with-parent.mjs'), resolve(process.cwd(), script), ...scriptArguments],
    {
      // The fourth channel is how the child learns that this process has died, however it died.
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: {
        // Processes keep what they made of TypeScript and modules, so that the next one need not make it again.
        NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node-compile'),
        // More arenas of malloc hold memory that nobody uses, and gain nothing: one thread does nearly all of the work.
        MALLOC_ARENA_MAX: '2',
        ...process.env,
        PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].filter(Boolean).join(delimiter),
      },
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  endWithNpm(child)
  child.on('error', (error) => fail(`${node} could not be started: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

function nodeExecutable() {
  for (const candidate of ['node_modules/node/bin/node', 'node_modules/node/bin/node.exe', 'node_modules/.bin/node']) {
    if (existsSync(join(root, candidate))) return join(root, candidate)
  }
  return fail('Node 24 is missing from node_modules. Delete node_modules and try again.')
}

/** npm passes SIGINT and SIGTERM on; when it is ended by anything else, only the change of our ancestors shows it. */
function endWithNpm(child) {
  if (!process.env.npm_lifecycle_event) return
  const ancestors = ancestorsUpToNpm()
  setInterval(() => {
    if (ancestorsUpToNpm() !== ancestors) child.kill('SIGTERM')
  }, 1000).unref()
}

/** Our parent, and its parent when ours is the shell that npm runs its scripts in. */
function ancestorsUpToNpm() {
  const parent = process.ppid
  try {
    const isShell = readFileSync(`/proc/${parent}/cmdline`, 'utf8').includes('with-node24.mjs')
    const status = readFileSync(`/proc/${parent}/stat`, 'utf8').split(') ').at(-1)
    return isShell ? `${parent} ${status.split(' ')[1]}` : `${parent}`
  } catch {
    // Not Linux: the parent has to do.
    return `${parent}`
  }
}

function lastLines(text, count) {
  return text.trim().split('\n').slice(-count).join('\n')
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
