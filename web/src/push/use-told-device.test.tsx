import { act, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { appToken } from '../api/app-token.ts'
import { providerStorageKey } from '../session/auth-provider.ts'
import { Session } from '../session/session.ts'
import { SessionContext } from '../session/use-session.ts'
import { tokenFor } from '../testing/fixtures.ts'
import { mockApi } from '../testing/mock-api.ts'
import { storeDevice, storedDevice } from './stored-device.ts'
import { useToldDevice } from './use-told-device.ts'

const bala = { id: 10, username: 'bala' }
let api: ReturnType<typeof mockApi>
let session: Session
let end: () => void

beforeEach(async () => {
  // What the hook loads, which fake timers would not wait for.
  await import('./device.ts')
  vi.useFakeTimers({ shouldAdvanceTime: true })
  api = mockApi()
  localStorage.clear()
  storeDevice({ userId: bala.id, topics: ['deal'] })
  session = new Session(async () => {
    throw new Error('the provider is away')
  })
})
afterEach(() => {
  end()
  api.restore()
  storeDevice(null)
  appToken.clear()
  vi.useRealTimers()
})

function Told() {
  useToldDevice()
  return null
}

async function visit() {
  const stop = session.start()
  const view = render(
    <SessionContext value={session}>
      <Told />
    </SessionContext>,
  )
  end = () => {
    view.unmount()
    stop()
  }
  for (let tries = 0; session.state().status === 'loading' && tries < 20; tries += 1) {
    await act(() => vi.advanceTimersByTimeAsync(2_000))
  }
  await act(() => vi.advanceTimersByTimeAsync(100))
  expect(session.state().status).toBe('signed-out')
}

it('forgets the device of whoever is signed in no more', async () => {
  await visit()
  expect(storedDevice()).toBeNull()
})

it('keeps it while a session cannot be renewed', async () => {
  localStorage.setItem(providerStorageKey, '{}')
  localStorage.setItem('app_token', tokenFor(bala, Date.now() - 1_000))
  await visit()
  expect(storedDevice()).toEqual({ userId: bala.id, topics: ['deal'] })
})
