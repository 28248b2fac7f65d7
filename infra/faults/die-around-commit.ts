import { readFileSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'

/**
 * Loaded into a service before its own code (`node --import …?deaths=<file>`): the process kills itself, as kill -9 would, around the commit of a
 * transaction that appends an event. The file has a line for each death to come, `before ListingSold` or `after ListingSold`; each death takes
 * the first one away. What Postgres is sent is looked at, so that no service has a line for it.
 */
const deathsFile = new URL(import.meta.url).searchParams.get('deaths') ?? ''
const BIND = 'B'.charCodeAt(0)
/** The prepared statement of the kit that appends, as a message that binds it names it. */
const APPEND = '\0append-events\0'
/** Sockets in a transaction that appends, and whose commit is to be met. */
const doomed = new WeakSet<Socket>()

function deaths(): string[] {
  return readFileSync(deathsFile, 'utf8').split('\n').filter(Boolean)
}

function die(): void {
  writeFileSync(deathsFile, deaths().slice(1).join('\n'))
  process.kill(process.pid, 'SIGKILL')
}

function look(socket: Socket, chunk: Buffer): void {
  const text = chunk.toString('latin1')
  const [moment, type] = deaths()[0]?.split(' ') ?? []
  if (chunk[0] === BIND && text.includes(APPEND)) {
    if (type !== undefined && new RegExp(`[{,"]${type}[",}]`).test(text)) doomed.add(socket)
  }
  if (text.includes('ROLLBACK')) doomed.delete(socket)
  if (!text.includes('COMMIT') || !doomed.delete(socket)) return
  if (moment === 'before') die()
  else socket.prependOnceListener('data', die)
}

const write = Writable.prototype.write
Socket.prototype.write = function (this: Socket, ...written: unknown[]) {
  const [chunk] = written
  if (Buffer.isBuffer(chunk)) look(this, chunk)
  return Reflect.apply(write, this, written)
} as typeof write
