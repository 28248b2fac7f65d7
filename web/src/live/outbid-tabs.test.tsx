import { cleanup, render, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { setHead } from '../testing/set-head.ts'
import { useOutbidTitle, useTellOutbid } from './outbid-tabs.ts'

/** Another tab of this browser, with an auction in it. */
let other: BroadcastChannel
const heard: unknown[] = []
beforeEach(() => {
  setHead('<title>My page</title>')
  heard.length = 0
  other = new BroadcastChannel('wangian-outbid')
  other.onmessage = ({ data }) => heard.push(data)
})
afterEach(() => {
  cleanup()
  other.close()
})

function Listener() {
  useOutbidTitle()
  return null
}
function Teller({ title }: { title: string | null }) {
  useTellOutbid(title)
  return null
}
const titleBecomes = (title: string) => waitFor(() => expect(document.title).toBe(title))

it('shows the newest of what other tabs say until that is over', async () => {
  render(<Listener />)
  await waitFor(() => expect(heard).toEqual([{ ask: true }]))
  other.postMessage({ tab: 'a', title: 'You have been outbid · Oud Wood' })
  await titleBecomes('You have been outbid · Oud Wood')
  other.postMessage({ tab: 'b', title: 'You have been outbid · Sauvage' })
  await titleBecomes('You have been outbid · Sauvage')
  other.postMessage({ tab: 'b', title: null })
  await titleBecomes('You have been outbid · Oud Wood')
  other.postMessage({ tab: 'a', title: null })
  await titleBecomes('My page')
})

it('stays before a title that React adds meanwhile, which is there afterwards', async () => {
  setHead('<title data-served>Served</title>')
  render(<Listener />)
  await waitFor(() => expect(heard).toEqual([{ ask: true }]))
  other.postMessage({ tab: 'a', title: 'You have been outbid · Oud Wood' })
  await titleBecomes('You have been outbid · Oud Wood')
  expect(document.querySelector('title')?.hasAttribute('itemprop')).toBe(true)
  const added = document.createElement('title')
  added.textContent = 'The page'
  document.head.prepend(added)
  await titleBecomes('You have been outbid · Oud Wood')
  other.postMessage({ tab: 'a', title: null })
  await titleBecomes('The page')
})

it('tells the others, and those who come later and ask', async () => {
  const { rerender } = render(<Teller title={null} />)
  rerender(<Teller title="You have been outbid · Oud Wood" />)
  const news = { tab: expect.any(String), title: 'You have been outbid · Oud Wood' }
  await waitFor(() => expect(heard).toEqual([news]))
  other.postMessage({ ask: true })
  await waitFor(() => expect(heard).toEqual([news, news]))
  rerender(<Teller title={null} />)
  await waitFor(() => expect(heard.at(-1)).toEqual({ tab: expect.any(String), title: null }))
})

it('leaves its own title to the page with the auction', async () => {
  render(
    <>
      <Listener />
      <Teller title="You have been outbid · Oud Wood" />
    </>,
  )
  await waitFor(() => expect(heard).toHaveLength(2))
  other.postMessage({ tab: 'b', title: 'You have been outbid · Sauvage' })
  await titleBecomes('You have been outbid · Sauvage')
  other.postMessage({ tab: 'b', title: null })
  await titleBecomes('My page')
})
