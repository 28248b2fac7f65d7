import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { type App, createApp } from './http.ts'

const agent = new Agent({ keepAlive: true })
let app: App
afterEach(async () => {
  agent.destroy()
  await app.close()
})

async function listen(drainMs: number, prepare: (app: App) => void = () => {}): Promise<number> {
  app = createApp({ name: 'shop', drainMs })
  app.get('/bottles', async () => [])
  prepare(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

async function ask(port: number, path: string, through: Agent | false) {
  const outgoing = request({ port, host: '127.0.0.1', path, agent: through })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode, connection: response.headers.connection, isReused: outgoing.reusedSocket }
}

describe('an app that is told to stop', () => {
  it('answers whoever still asks, on old connections and on new ones, and says that they end', async () => {
    // Longer than this test may take.
    const port = await listen(600_000)
    expect(await ask(port, '/bottles', agent)).toMatchObject({ status: 200, connection: 'keep-alive' })
    const closed = app.close()
    expect(await ask(port, '/readyz', false)).toMatchObject({ status: 503 })
    expect(await ask(port, '/bottles', false)).toMatchObject({ status: 200, connection: 'close' })
    expect(await ask(port, '/bottles', agent)).toEqual({ status: 200, connection: 'close', isReused: true })
    // Nobody is connected any more, so it need not wait.
    await closed
  })

  it('ends a connection with the answer that was under way', async () => {
    let finish = () => {}
    const port = await listen(0, (app) =>
      app.get('/long', (_request, reply) => {
        reply.hijack()
        reply.raw.writeHead(200, { 'content-length': 2 }).write('o')
        finish = () => reply.raw.end('k')
      }),
    )
    const outgoing = request({ port, host: '127.0.0.1', path: '/long', agent }).end()
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    response.resume()
    const closed = app.close()
    await eventually(() => !app.server.listening)
    finish()
    await closed
  })

  it('ends a connection on which nothing was ever said, as browsers open them in advance', async () => {
    const port = await listen(0)
    const socket = connect(port, '127.0.0.1')
    const ended = once(socket.resume(), 'close')
    await once(socket, 'connect')
    await app.close()
    await ended
  })

  it('waits no longer than it may for whoever stays connected', async () => {
    const port = await listen(100)
    await ask(port, '/bottles', agent)
    await app.close()
    expect(app.server.listening).toBe(false)
  })

  it('ends at once when nobody is connected', async () => {
    // Longer than this test may take.
    const port = await listen(600_000)
    await ask(port, '/bottles', false)
    await app.close()
    const refused = connect(port, '127.0.0.1')
    await expect(once(refused, 'connect')).rejects.toThrow('ECONNREFUSED')
  })
})
