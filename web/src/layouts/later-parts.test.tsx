import { act, screen, waitFor } from '@testing-library/react'
import { accountRoutes } from '@wangian/contracts/account.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import { showLanguage } from '../i18n/i18n.ts'
import { mockApi } from '../testing/mock-api.ts'
import { renderAt } from '../testing/render.tsx'
import { setHead } from '../testing/set-head.ts'
import { CrashMessage } from './CrashMessage.tsx'
import { LaterParts } from './LaterParts.tsx'

let view: ReturnType<typeof renderAt>
beforeEach(() => {
  setHead('')
})
afterEach(() => {
  view.end()
  setHead('')
  vi.restoreAllMocks()
})

const offlineWords = 'You are offline. What you see may be out of date.'
const setNetwork = (isThere: boolean) =>
  act(() => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isThere)
    window.dispatchEvent(new Event(isThere ? 'online' : 'offline'))
  })

it('says that there is no network as long as there is none', () => {
  view = renderAt('/', <LaterParts />)
  expect(screen.getByRole('status')).toBeEmptyDOMElement()
  setNetwork(false)
  expect(screen.getByRole('status')).toHaveTextContent(offlineWords)
  setNetwork(true)
  expect(screen.queryByText(offlineWords)).toBeNull()
})

it('asks nobody where there is nothing to ask', () => {
  view = renderAt('/', <LaterParts />)
  expect(screen.queryByRole('region', { name: 'Counting visits' })).toBeNull()
})

it('asks once, where people look around', async () => {
  setHead('<meta name="analytics-id" content="G-AB12CD34EF">')
  view = renderAt('/login', <LaterParts />)
  expect(screen.queryByRole('button', { name: 'No, thanks' })).toBeNull()
  view.end()
  view = renderAt('/products', <LaterParts />)
  const no = await screen.findByRole('button', { name: 'No, thanks' })
  act(() => no.click())
  expect(screen.queryByRole('button', { name: 'No, thanks' })).toBeNull()
  expect([localStorage.getItem('wangian-analytics'), window.gtag]).toEqual(['no', undefined])
})

it('tells which language somebody reads, once each, and nothing of a guest', async () => {
  const api = mockApi()
  api.answer(accountRoutes.setLanguage, ({ body }) => body as { language: 'en' | 'ms' })
  const told = () => api.received.map(({ body }) => body)
  view = renderAt('/products', <LaterParts />)
  await act(() => showLanguage('ms'))
  expect(told()).toEqual([])
  view.end()
  view = renderAt('/products', <LaterParts />, { id: 7, username: 'mei' })
  await waitFor(() => expect(told()).toEqual([{ language: 'ms' }]))
  await waitFor(() => expect(localStorage.getItem('wangian-told-language')).toBe('7 ms'))
  await act(() => showLanguage('en'))
  await waitFor(() => expect(told()).toEqual([{ language: 'ms' }, { language: 'en' }]))
  api.restore()
})

it('tells the language last that somebody has chosen last, however fast', async () => {
  const api = mockApi()
  const answers: (() => void)[] = []
  api.answer(accountRoutes.setLanguage, async ({ body }) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    return body as { language: 'en' | 'ms' }
  })
  const told = () => api.received.map(({ body }) => body)
  await act(() => showLanguage('en'))
  view = renderAt('/products', <LaterParts />, { id: 7, username: 'mei' })
  await waitFor(() => expect(answers).toHaveLength(1))
  answers[0]?.()
  await waitFor(() => expect(localStorage.getItem('wangian-told-language')).toBe('7 en'))
  await act(() => showLanguage('ms'))
  await waitFor(() => expect(answers).toHaveLength(2))
  await act(() => showLanguage('en'))
  answers[1]?.()
  await waitFor(() => expect(answers).toHaveLength(3))
  answers[2]?.()
  expect(told()).toEqual([{ language: 'en' }, { language: 'ms' }, { language: 'en' }])
  await waitFor(() => expect(localStorage.getItem('wangian-told-language')).toBe('7 en'))
  api.restore()
})

it('waits for no answer that was meant for what is not on the screen any more', async () => {
  const api = mockApi()
  api.answer(accountRoutes.setLanguage, () => new Promise<never>(() => {}))
  view = renderAt('/products', <LaterParts />, { id: 7, username: 'mei' })
  await waitFor(() => expect(api.received).toHaveLength(1))
  view.end()
  view = renderAt('/products', <LaterParts />, { id: 10, username: 'bala' })
  await waitFor(() => expect(api.received).toHaveLength(2))
  api.restore()
})

it.each([
  [
    new ApiError(503, JSON.stringify({ code: 'unavailable', message: 'Busy', requestId: 'r' })),
    'This could not be loaded',
  ],
  [new Error('a bug'), 'This page could not be shown'],
])('leads on from an error: %s', (error, title) => {
  const again = vi.fn()
  view = renderAt('/products/7', <CrashMessage error={error} resetErrorBoundary={again} />)
  expect(screen.getByRole('heading', { name: title })).toBeInTheDocument()
  expect(screen.getByRole('button', { name: 'Try Again' })).toBeInTheDocument()
  expect(screen.getByRole('link', { name: 'Return to home' })).toHaveAttribute('href', '/')
})
