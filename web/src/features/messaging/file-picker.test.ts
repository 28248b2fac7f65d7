import { expect, it } from 'vitest'
import { fileProblem, formatBytes } from './file-picker.ts'

it.each([
  ['photo.JPG', 1_000, null],
  ['letter.docx', 5 * 1024 * 1024, null],
  ['letter.docx', 5 * 1024 * 1024 + 1, 'File too large: Please select a file smaller than 5MB'],
  ['page.html', 10, 'Invalid file type: Please select a JPEG, PNG, GIF, WebP, PDF, DOC or DOCX file'],
  ['empty.pdf', 0, 'Invalid file type: Please select a JPEG, PNG, GIF, WebP, PDF, DOC or DOCX file'],
])('%s with %i bytes: %s', (name, size, problem) => {
  expect(fileProblem({ name, size })).toBe(problem)
})

it.each([
  [340, '340 byte'],
  [12_400, '12 kB'],
  [4_730_000, '4.7 MB'],
])('%i bytes read as %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words)
})
