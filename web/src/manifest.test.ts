// @vitest-environment node
import { readFile } from 'node:fs/promises'
import { isPagePath } from '@wangian/contracts/page-paths.ts'
import { expect, it } from 'vitest'
import { z } from 'zod'

const publicFile = (name: string) => readFile(new URL(`../public/${name}`, import.meta.url))
const Manifest = z.object({
  start_url: z.string(),
  icons: z.array(z.object({ src: z.string(), sizes: z.string(), type: z.string(), purpose: z.string() })),
  shortcuts: z.array(z.object({ url: z.string() })),
})
const manifest = Manifest.parse(JSON.parse(String(await publicFile('manifest.webmanifest'))))

it('names icons that are there, as large as it says', async () => {
  for (const { src, sizes, type } of manifest.icons) {
    const bytes = await publicFile(src.slice(1))
    if (type !== 'image/png') continue
    // The width and the height are in the first part of a PNG.
    expect([src, `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`]).toEqual([src, sizes])
    expect(bytes.length).toBeLessThan(20_000)
  }
  expect(manifest.icons.map(({ purpose }) => purpose)).toContain('maskable')
})

it('leads to pages that are there', () => {
  const addresses = [manifest.start_url, ...manifest.shortcuts.map(({ url }) => url)]
  expect(addresses.filter((url) => !isPagePath(new URL(url, 'http://localhost').pathname))).toEqual([])
})
