import { hostname } from 'node:os'
import { GenericContainer, getContainerRuntimeClient, ImageName } from 'testcontainers'

/** Says whose a container is: the process that removes it. */
const LABEL = 'wangian.tests'
const START_TIMEOUT_MS = 60_000

/** A container that its process removes in the end; it is removed by the next run where that process was killed. The image has to be there. */
export function testContainer(image: string): GenericContainer {
  return new GenericContainer(image)
    .withLabels({ [LABEL]: `${hostname()} ${process.pid}` })
    .withStartupTimeout(START_TIMEOUT_MS)
}

/** Those of these images that the Docker engine has to fetch first. @throws when none answers */
export async function missingImages(images: readonly string[]): Promise<string[]> {
  const client = await getContainerRuntimeClient()
  const isThere = await Promise.all(images.map((image) => client.image.exists(ImageName.fromString(image))))
  return images.filter((_, at) => !isThere[at])
}

/** Removes the containers of processes of this machine that are no more. */
export async function removeLeftContainers(): Promise<void> {
  const client = await getContainerRuntimeClient()
  const { dockerode } = client.container
  for (const { Id, Labels } of await dockerode.listContainers({ all: true, filters: { label: [LABEL] } })) {
    const [host, pid] = (Labels[LABEL] ?? '').split(' ')
    if (host === hostname() && !isAlive(Number(pid))) await dockerode.getContainer(Id).remove({ force: true, v: true })
  }
}

/** Kills what runs in a container, as a crash does; the container stays. */
export async function killContainer(id: string): Promise<void> {
  const container = (await getContainerRuntimeClient()).container.getById(id)
  await container.kill()
  await container.wait()
}

/** Starts a container again that was killed. */
export async function restartContainer(id: string): Promise<void> {
  await (await getContainerRuntimeClient()).container.getById(id).start()
}

/** Removes a container, whether it runs or not. */
export async function removeContainer(id: string): Promise<void> {
  await (await getContainerRuntimeClient()).container.getById(id).remove({ force: true, v: true })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
