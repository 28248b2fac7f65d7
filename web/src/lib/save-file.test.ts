import { expect, it, onTestFinished, vi } from 'vitest'
import { saveFile } from './save-file.ts'

it('keeps a file until the browser has read it, and not for ever', () => {
  vi.useFakeTimers()
  const kept = new Set<string>()
  const create = vi.fn(() => {
    kept.add('blob:one')
    return 'blob:one'
  })
  vi.stubGlobal(
    'URL',
    Object.assign(class extends URL {}, {
      createObjectURL: create,
      revokeObjectURL: (url: string) => kept.delete(url),
    }),
  )
  const press = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    press.mockRestore()
  })
  saveFile(new Blob(['codes']), 'codes.txt')
  expect(press.mock.contexts).toMatchObject([{ href: 'blob:one', download: 'codes.txt' }])
  vi.advanceTimersByTime(1000)
  expect(kept.size).toBe(1)
  vi.runAllTimers()
  expect(kept.size).toBe(0)
})
