import { spawnSync } from 'node:child_process'
import { isIP } from 'node:net'
import { join } from 'node:path'

/**
 * Makes a certificate that nobody has signed, for `host` and for this machine, with openssl.
 * @returns the paths of two PEM files
 * @throws when there is no openssl
 */
export function makeCertificate(
  directory: string,
  host: string,
  days: number,
): { readonly key: string; readonly certificate: string } {
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const names = new Set([`${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`, 'DNS:localhost', 'IP:127.0.0.1'])
  const { status, stderr, error } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', String(days)],
      ...['-subj', `/CN=${host}`, '-addext', `subjectAltName=${[...names].join(',')}`],
      ...['-keyout', key, '-out', certificate],
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`openssl could not make a certificate: ${error?.message ?? stderr}`)
  return { key, certificate }
}
