import { execFile } from 'node:child_process'

/**
 * Runs a script that builds something, with this Node.
 * @throws with what the script said, without the places in its own code
 */
export function runBuild(
  what: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number },
): Promise<void> {
  const { cwd, env, timeoutMs } = options
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, env, timeout: timeoutMs }, (error, output, errors) => {
      if (!error) return resolve()
      const said = `${output}${errors || error.message}`.split('\n').filter((line) => !/^\s+at /.test(line))
      reject(new Error(`${what} could not be built:\n${said.join('\n').trimEnd()}`))
    })
  })
}
