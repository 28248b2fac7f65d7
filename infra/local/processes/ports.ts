import { tryListening } from '@wangian/kit/free-port.ts'

/** What listening on ::1 ends with on a machine that has no IPv6. */
const withoutIpv6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])
/** What listening on an address or a name of another machine ends with. */
const notOfThisMachine = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN'])

/**
 * Makes sure that the port the person asked for can be listened on.
 * @throws an error that says what to do instead
 */
export async function requirePort(port: number, host: string): Promise<void> {
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  const problems = await Promise.all(hosts.map((name) => tryListening(port, name)))
  const isMissed = (code: string) => host !== 'localhost' || !withoutIpv6.has(code)
  const problem = problems.find((code) => code !== undefined && isMissed(code))
  if (problem === undefined) return
  if (notOfThisMachine.has(problem)) {
    throw new Error(`HOST=${host} cannot be listened on (${problem}): it has to be an address of this machine.`)
  }
  const other = port < 1024 ? 8080 : port + 1
  throw new Error(
    problem === 'EADDRINUSE'
      ? `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${other} npm start`
      : `Port ${port} cannot be listened on (${problem}). Choose another port: PORT=${other} npm start`,
  )
}
