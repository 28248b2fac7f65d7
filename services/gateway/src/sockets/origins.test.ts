import { describe, expect, it } from 'vitest'
import { originRule } from './origins.ts'

describe('which pages may open a socket', () => {
  const isAllowed = originRule('https://wangian.example/')

  it.each([
    ['https://wangian.example', 'wangian.example', true],
    ['https://wangian.example', '127.0.0.1:8080', true],
    ['http://127.0.0.1:8080', '127.0.0.1:8080', true],
    ['https://[::1]:8080', '[::1]:8080', true],
    ['http://wangian.example', 'other.example', false],
    ['https://wangian.example.evil.example', 'wangian.example', false],
    ['https://evil.example/https://wangian.example', 'wangian.example', false],
    ['https://wangian.example:8443', 'wangian.example', false],
    ['http://127.0.0.1:9090', '127.0.0.1:8080', false],
    ['null', 'wangian.example', false],
    ['', '', false],
    ['http://', '', false],
  ])('%s, talking to %s: %s', (origin, host, expected) => {
    expect(isAllowed(origin, host)).toBe(expected)
  })
})
