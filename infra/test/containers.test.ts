import { describe, expect, it } from 'vitest'
import { choose, imageOf } from './containers.ts'

const images = { missing: [] }
const without = { missing: ['postgres:18', 'nats:2'] }
const nothing = { problem: 'there is no Docker engine' }

describe('the servers of the tests', () => {
  it('run in containers where an engine has all images', () => {
    expect(choose(undefined, images)).toEqual({ usesContainers: true, says: 'in containers' })
    expect(choose(true, images)).toMatchObject({ usesContainers: true })
  })

  it.each([
    ['an image is missing', without, 'embedded: the Docker engine has no postgres:18, no nats:2'],
    ['no engine answers', nothing, 'embedded: there is no Docker engine'],
  ])('are embedded where %s, and say why', (_, engine, says) => {
    expect(choose(undefined, engine)).toEqual({ usesContainers: false, says })
  })

  it('are embedded where that is asked for', () => {
    expect(choose(false, images)).toMatchObject({ usesContainers: false })
  })

  it.each([[without], [nothing]])('are refused where containers are asked for that cannot be had', (engine) => {
    expect(() => choose(true, engine)).toThrow('TEST_CONTAINERS=1')
  })

  it('have the images of docker-compose.yml', () => {
    expect(imageOf('postgres')).toBe('postgres:18')
  })
})
