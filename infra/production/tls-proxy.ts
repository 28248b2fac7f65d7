import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { makeCertificate } from './certificate.ts'

const CERTIFICATE_DAYS = 2

export interface TlsProxy {
  /** PEM; who speaks with the proxy has to trust it. */
  readonly certificate: string
  stop(): Promise<void>
}

/** What nginx says of who is asking, and nothing else of ours: as its own documentation puts it in front of an application. */
const configuration = (directory: string, port: number, to: string, tls: ReturnType<typeof makeCertificate>) => `
daemon off;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events {}
http {
  access_log off;
  client_max_body_size 12m;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
  map $http_upgrade $connection_header { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${tls.certificate};
    ssl_certificate_key ${tls.key};
    location / {
      proxy_pass ${to};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_header;
    }
  }
}
`

/**
 * Starts Debian's nginx, which ends TLS for `localhost` with a certificate of its own.
 * @param options.directory for its files; others may enter it
 * @throws when there is neither nginx nor a way to get it
 */
export async function startTlsProxy(options: {
  readonly directory: string
  readonly port: number
  readonly to: string
}): Promise<TlsProxy> {
  const { directory, port, to } = options
  const binary = findNginx(directory)
  const { key, certificate } = makeCertificate(directory, 'localhost', CERTIFICATE_DAYS)
  writeFileSync(join(directory, 'nginx.conf'), configuration(directory, port, to, { key, certificate }))
  const child = spawn(binary, ['-p', directory, '-c', join(directory, 'nginx.conf')], { stdio: 'inherit' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await eventually(() => existsSync(join(directory, 'nginx.pid')))
  return {
    certificate: readFileSync(certificate, 'utf8'),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The one that is installed, or the one of Debian's package, which is unpacked and not installed: installing it would start it. */
function findNginx(directory: string): string {
  const found = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find((path) => existsSync(path))
  if (found !== undefined) return found
  const folder = join(directory, 'package')
  mkdirSync(folder)
  if (process.getuid?.() === 0) run('apt-get', ['update', '-qq'])
  run('apt-get', ['download', '-qq', 'nginx'], folder)
  for (const archive of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
    run('dpkg', ['-x', join(folder, archive), mkdtempSync(join(folder, 'nginx-'))])
  }
  const [unpacked] = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name, 'usr', 'sbin', 'nginx')
    return existsSync(path) ? [path] : []
  })
  if (unpacked === undefined) throw new Error('There is no nginx: apt-get install nginx')
  return unpacked
}

function run(program: string, args: readonly string[], cwd?: string): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', cwd })
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${error?.message ?? stderr}`)
}
