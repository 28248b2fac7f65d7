import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { type App, createApp } from './http.ts'

const one = 'GET /slow HTTP/1.1\r\nHost: shop\r\n\r\n'

let app: App
let begun: number
let ended: number
/** Lets what has begun be answered. */
let answerAll: () => void
afterEach(() => app.close())

async function listen(): Promise<number> {
  begun = 0
  ended = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  answerAll = resolve
  app = createApp({ name: 'shop' })
  app.get('/slow', async (_request, reply) => {
    begun += 1
    reply.raw.once('close', () => {
      ended += 1
    })
    await promise
    return 'answered'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

it('a connection on which somebody asks without waiting for answers is closed, and the rest of it is not begun', async () => {
  const connection = connect(await listen(), '127.0.0.1')
  const closed = new Promise((resolve) => connection.once('close', resolve))
  // What has not been written by then is lost.
  connection.on('error', () => {})
  connection.write(one.repeat(2000))
  await closed
  expect(begun).toBeLessThanOrEqual(4)
})

it('a few may come at once, and as many again when those are answered', async () => {
  const connection = connect(await listen(), '127.0.0.1')
  const answers = async (count: number) => {
    for (let got = ''; got.split('answered').length <= count; ) got += String((await once(connection, 'data'))[0])
  }
  connection.write(one.repeat(4))
  answerAll()
  await answers(4)
  for (let each = 0; each < 20; each++) {
    connection.write(one)
    await answers(1)
  }
  expect(begun).toBe(24)
  connection.destroy()
})

it('a request of somebody who has reset the connection is not begun: nobody knows any more who it was', async () => {
  await listen()
  const reset = new Socket()
  const request = Object.assign(new IncomingMessage(reset), { url: '/slow', method: 'GET' })
  app.server.emit('request', request, new ServerResponse(request))
  expect([reset.destroyed, begun]).toEqual([true, 0])
})

it.each(['CONNECT elsewhere:443 HTTP/1.1\r\n', 'GET /else HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n'])(
  'all that are under way on a connection end with it, also when it was to become something else: %j',
  async (other) => {
    const connection = connect(await listen(), '127.0.0.1').resume()
    connection.on('error', () => {})
    app.server.on('upgrade', (_request, socket) => socket.destroy())
    const closed = new Promise((resolve) => connection.once('close', resolve))
    connection.write(`${one.repeat(3)}${other}Host: shop\r\n\r\n`)
    await closed
    await eventually(() => expect([begun, ended]).toEqual([3, 3]))
  },
)
