import { act, render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { App } from './App.tsx'
import { appToken } from './api/app-token.ts'
import { servedAnswers } from './api/served-answers.ts'
import { keepUnsent, readUnsent } from './features/messaging/unsent.ts'
import { tokenFor } from './testing/fixtures.ts'

it('forgets what somebody has not sent when they leave, on whatever page that is', async () => {
  appToken.store(tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000))
  keepUnsent({ files: [{ clientMessageId: '1', senderId: 10, receiverId: 3, name: 'receipt.pdf' }] })
  render(<App served={servedAnswers()}>A page</App>)
  expect(readUnsent().files).toHaveLength(1)
  await act(async () => appToken.clear())
  expect(readUnsent().files).toEqual([])
})
