import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './test-server.ts'

let server: TestServer
const bodies: string[] = []
const start = async () => {
  server = await startTestServer((_request, response, body) => {
    bodies.push(body.toString())
    response.end('heard')
  })
}
afterEach(async () => {
  bodies.length = 0
  await server.stop()
})

it('is handed what has come', async () => {
  await start()
  expect(await (await fetch(server.url, { method: 'POST', body: 'all of it' })).text()).toBe('heard')
  expect(bodies).toEqual(['all of it'])
})

it('minds nobody who breaks off while they write', async () => {
  await start()
  const writer = connect(Number(new URL(server.url).port), '127.0.0.1')
  writer.write('POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n')
  // The server waits for the body then.
  await once(writer, 'data')
  writer.destroy()
  await server.stop()
  expect(bodies).toEqual([])
})

it('is stopped as often as one likes', async () => {
  await start()
  await server.stop()
  await expect(fetch(server.url)).rejects.toThrow('fetch failed')
})
