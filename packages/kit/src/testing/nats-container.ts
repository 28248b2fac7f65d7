import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Wait } from 'testcontainers'
import { killContainer, removeContainer, restartContainer, testContainer } from './containers.ts'
import { natsConfig, type RestartableNats } from './restartable-nats.ts'

/** Where the container sees the folder. */
const INSIDE = '/wangian'
const PORT = 4222

/** A NATS in a container on this port. Its store is in the folder and belongs to whoever runs the tests, who may change it. */
export function inContainer(image: string, directory: string, port: number): RestartableNats {
  writeFileSync(join(directory, 'nats.conf'), natsConfig(`0.0.0.0:${PORT}`, `${INSIDE}/store`))
  const container = testContainer(image)
    .withCommand(['--config', `${INSIDE}/nats.conf`])
    .withBindMounts([{ source: directory, target: INSIDE }])
    .withUser(`${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
    .withExposedPorts({ container: PORT, host: port })
    .withWaitStrategy(Wait.forLogMessage('Server is ready'))
  let id: string | undefined
  return {
    async start() {
      if (id === undefined) id = (await container.start()).getId()
      else await restartContainer(id)
    },
    async kill() {
      if (id !== undefined) await killContainer(id)
    },
    async remove() {
      if (id !== undefined) await removeContainer(id)
    },
  }
}
