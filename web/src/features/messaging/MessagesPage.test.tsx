import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { type Conversation, type Message, messagingRoutes } from '@wangian/contracts/messaging.ts'
import { reportRoutes } from '@wangian/contracts/reports.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { appToken } from '../../api/app-token.ts'
import { type ConversationHandOff, handOverConversation } from '../../contact/conversation-hand-off.ts'
import { showLanguage } from '../../i18n/i18n.ts'
import { type Departure, holdDepartures } from '../../lib/unsaved-changes.ts'
import { useMessageNews } from '../../live/use-message-news.ts'
import { providerStorageKey } from '../../session/auth-provider.ts'
import { FakeSocket } from '../../testing/fake-socket.ts'
import {
  card,
  conversation,
  currentUser,
  product as listed,
  message,
  report,
  seller,
  tokenFor,
} from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { keepDraft, keptDraft } from './drafts.ts'
import MessagesPage from './MessagesPage.tsx'
import { keepUnsent, readUnsent, type Unsent } from './unsent.ts'

const product = { id: 7, name: 'Oud Wood', price: 50, imageUrl: null, isRemoved: false }
const handOff = {
  userId: 3,
  username: 'sarah',
  profileImage: null,
  productId: 7,
  productName: 'Oud Wood',
  templateMessage: 'Hi, I am interested in Oud Wood.',
}

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  api.answer(messagingRoutes.countUnread, () => ({ count: 2 }))
  api.answer(messagingRoutes.listConversations, () => [
    conversation(message(2, { content: 'x'.repeat(61) }), { unreadCount: 2, product }),
  ])
  api.answer(messagingRoutes.getConversation, () => [message(1, { senderId: 10, isRead: true }), message(2)])
})
afterEach(() => {
  vi.useRealTimers()
  view.end()
  api.restore()
})

/** The page with what is around it: the count, and the socket that is held for it. */
function Shell() {
  const unread = useMessageNews()
  return (
    <>
      <output aria-label="Unread">{unread}</output>
      <MessagesPage />
    </>
  )
}

/** `draft` is half written already. */
function open(selected: ConversationHandOff | null = null, draft = '', unsent: Partial<Unsent> = {}) {
  const opener = <Opener selected={selected} draft={draft} unsent={unsent} />
  view = renderAt('/messages', opener, { id: 10, username: 'bala' })
}

/** Rendering begins with empty storage. */
function Opener({
  selected,
  draft = '',
  unsent = {},
}: {
  selected: ConversationHandOff | null
  draft?: string
  unsent?: Partial<Unsent>
}) {
  if (selected && sessionStorage.length === 0) {
    keepUnsent(unsent)
    keepDraft(10, selected.userId, draft)
    handOverConversation(10, selected)
  }
  return <Shell />
}

/** The same tab once more, with what it has kept. */
function reload() {
  const stored = Object.entries(sessionStorage)
  view.end()
  view = renderAt('/messages', <Reopened stored={stored} />, { id: 10, username: 'bala' })
}

function Reopened({ stored }: { stored: readonly (readonly [string, string])[] }) {
  if (sessionStorage.length === 0) for (const [key, value] of stored) sessionStorage.setItem(key, value)
  return <Shell />
}

async function connect() {
  await waitFor(() => expect(FakeSocket.opened.length).toBeGreaterThan(0))
  act(() => {
    FakeSocket.newest().accept()
    FakeSocket.newest().receive({ type: 'auth_success', userId: 10 })
  })
}
const receive = (frame: ServerFrame) => act(() => FakeSocket.newest().receive(frame))
const field = () => screen.getByLabelText('Message')
const thread = () => screen.findByRole('log', { name: 'Messages with sarah' })
const sentMessages = () => FakeSocket.newest().sentOf('send_message')

async function write(text: string) {
  fireEvent.change(field(), { target: { value: text } })
  fireEvent.keyDown(field(), { key: 'Enter' })
}

describe('a link to a conversation', () => {
  const follow = (address: string) => {
    view = renderAt(address, <Shell />, { id: 10, username: 'bala' })
  }

  it('opens it, about the product that it names, and leaves the plain address', async () => {
    api.answer(shopRoutes.getSeller, () => seller)
    api.answer(catalogueRoutes.getProduct, () => ({ ...listed, id: 7, name: 'Oud Wood', reviews: [] }))
    follow('/messages?with=3&product=7')
    expect(await thread()).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Oud Wood' })).toHaveAttribute('href', '/products/7')
    expect(view.whereabouts()).toBe('/messages')
  })

  it('opens it also when the other one has left and the product is gone', async () => {
    api.answer(shopRoutes.getSeller, () => refusal('seller-not-found'))
    api.answer(catalogueRoutes.getProduct, () => refusal('product-not-found'))
    follow('/messages?with=3&product=7')
    expect(await screen.findByRole('log')).toBeInTheDocument()
  })

  it.each(['with=10', 'with=x', 'with=', 'product=7'])('that leads nowhere (%s) shows the list', async (query) => {
    follow(`/messages?${query}`)
    expect(await screen.findByRole('heading', { name: 'No conversation selected' })).toBeInTheDocument()
  })
})

describe('the list', () => {
  it('says with whom, about what, and how it ends', async () => {
    open()
    const entry = await screen.findByRole('button', { name: /^sarah/ })
    expect(entry).toHaveTextContent('Regarding: Oud Wood')
    expect(entry).toHaveTextContent(`${'x'.repeat(60)}...`)
    expect(entry).not.toHaveTextContent('x'.repeat(61))
    expect(entry).toHaveTextContent('2 unread messages')
    expect(entry).toHaveTextContent('Nov 21, 4:00 PM')
    expect(screen.getByRole('heading', { name: 'No conversation selected' })).toBeInTheDocument()
  })

  it('has the chosen one in sight, and stays where it is when others come', async () => {
    const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView')
    onTestFinished(() => scrolled.mockRestore())
    open(handOff)
    const entry = await screen.findByRole('button', { name: /sarah/, current: true })
    expect(scrolled.mock.contexts).toEqual([entry])
    expect(scrolled).toHaveBeenCalledWith({ block: 'nearest' })
    api.answer(messagingRoutes.listConversations, () => [
      conversation(message(3, { senderId: 4 }), { user: { id: 4, username: 'mei', profileImage: null } }),
      conversation(message(2), { unreadCount: 2, product }),
    ])
    fireEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    await screen.findByRole('button', { name: /mei/ })
    expect(scrolled).toHaveBeenCalledOnce()
  })

  it('may be empty', async () => {
    api.answer(messagingRoutes.listConversations, () => [])
    open()
    expect(await screen.findByRole('heading', { name: 'No messages yet' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Browse perfumes' })).toHaveAttribute('href', '/')
  })

  it('may fail, and be tried again', async () => {
    api.answer(messagingRoutes.listConversations, () => refusal('unavailable'))
    open()
    expect(await screen.findByRole('heading', { name: 'Error Loading Messages' })).toBeInTheDocument()
    expect(view.toasts).toMatchObject([{ title: 'Error Loading Messages', tone: 'destructive' }])
    api.answer(messagingRoutes.listConversations, () => [conversation(message(2))])
    screen.getByRole('button', { name: 'Try Again' }).click()
    expect(await screen.findByRole('button', { name: /^sarah/ })).toBeInTheDocument()
  })

  it('is asked for again with Refresh', async () => {
    open()
    await screen.findByRole('button', { name: /^sarah/ })
    api.answer(messagingRoutes.listConversations, () => [conversation(message(3, { content: 'News' }))])
    screen.getByRole('button', { name: 'Refresh' }).click()
    await waitFor(() => expect(screen.getByRole('button', { name: /^sarah/ })).toHaveTextContent('News'))
  })
})

describe('on a phone', () => {
  beforeEach(() => {
    vi.spyOn(window, 'matchMedia').mockReturnValue({
      matches: true,
      addEventListener: () => {},
      removeEventListener: () => {},
    } as unknown as MediaQueryList)
  })
  afterEach(() => vi.restoreAllMocks())

  it('the list is open where nothing is chosen yet', async () => {
    open()
    const drawer = await screen.findByRole('dialog', { name: 'Conversations' })
    within(drawer)
      .getByRole('button', { name: /^sarah/ })
      .click()
    expect(await thread()).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('a list that did not load is tried again where the conversation would be', async () => {
    api.answer(messagingRoutes.listConversations, () => refusal('unavailable'))
    open()
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Error Loading Messages' }]))
    expect(screen.queryByRole('heading', { name: 'No conversation selected' })).toBeNull()
    const hidden = screen.getByRole('region', { name: 'Conversations' })
    const inSight = screen.getAllByRole('button', { name: 'Try Again' }).filter((button) => !hidden.contains(button))
    expect(inSight).toHaveLength(1)
    api.answer(messagingRoutes.listConversations, () => [conversation(message(2))])
    inSight[0]?.click()
    expect(await screen.findByRole('dialog', { name: 'Conversations' })).toBeInTheDocument()
  })

  it('the list stays closed where a conversation is open', async () => {
    open(handOff)
    await thread()
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

describe('a conversation', () => {
  it('opens with its messages, which are read then', async () => {
    open()
    await connect()
    ;(await screen.findByRole('button', { name: /^sarah/ })).click()
    const log = await thread()
    expect(within(log).getByText('Message 1')).toBeInTheDocument()
    expect(within(log).getByText('Read')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Oud Wood' })).toHaveAttribute('href', '/products/7')
    await waitFor(() => expect(FakeSocket.newest().sentOf('mark_read')).toEqual([{ type: 'mark_read', senderId: 3 }]))
    receive({ type: 'messages_read', readerId: 10, senderId: 3, messageIds: [1, 2] })
    expect(screen.getByRole('button', { name: /^sarah/ })).not.toHaveTextContent('unread')
  })

  it('that is there before the server knows who reads it is read from then on, and again after an interruption', async () => {
    open(handOff)
    await thread()
    await waitFor(() => expect(FakeSocket.opened).toHaveLength(1))
    act(() => FakeSocket.newest().accept())
    // Whoever is not signed in yet is refused.
    expect(FakeSocket.newest().sentOf('mark_read')).toEqual([])
    receive({ type: 'auth_success', userId: 10 })
    expect(FakeSocket.newest().sentOf('mark_read')).toEqual([{ type: 'mark_read', senderId: 3 }])
    vi.useFakeTimers()
    act(() => FakeSocket.newest().lose())
    act(() => vi.advanceTimersByTime(3_000))
    expect(FakeSocket.opened).toHaveLength(2)
    act(() => FakeSocket.newest().accept())
    expect(FakeSocket.newest().sentOf('mark_read')).toEqual([])
    receive({ type: 'auth_success', userId: 10 })
    expect(FakeSocket.newest().sentOf('mark_read')).toEqual([{ type: 'mark_read', senderId: 3 }])
  })

  it('is read of what came while the server heard what was read before', async () => {
    open(handOff)
    await connect()
    await thread()
    const read = () => FakeSocket.newest().sentOf('mark_read').length
    await waitFor(() => expect(read()).toBe(1))
    receive({ type: 'new_message', message: message(3) })
    receive({ type: 'messages_read', readerId: 10, senderId: 3, messageIds: [2] })
    expect(read()).toBe(2)
    receive({ type: 'messages_read', readerId: 10, senderId: 3, messageIds: [3] })
    expect(read()).toBe(2)
  })

  it('about what was taken away says so, and leads nowhere', async () => {
    api.answer(messagingRoutes.listConversations, () => [
      conversation(message(2), { product: { ...product, isRemoved: true } }),
    ])
    open()
    const entry = await screen.findByRole('button', { name: /^sarah/ })
    expect(entry).toHaveTextContent('Regarding: Oud Wood (removed)')
    entry.click()
    await thread()
    expect(screen.getAllByText(/Oud Wood \(removed\)/)).toHaveLength(2)
    expect(screen.queryByRole('link', { name: /Oud Wood/ })).toBeNull()
  })

  it.each([
    ['with words to begin with leaves them out for', false, 'Is the box there?'],
    ['with an offer adds it to', true, `Is the box there?\n\n${handOff.templateMessage}`],
  ])('that was handed over %s what is half written', async (_, isOffer, expected) => {
    open({ ...handOff, isOffer }, 'Is the box there?')
    await thread()
    expect(field()).toHaveValue(expected)
  })

  it('that was handed over opens with its template, and is still there after a reload', async () => {
    open(handOff)
    await connect()
    await thread()
    expect(field()).toHaveValue('Hi, I am interested in Oud Wood.')
    fireEvent.change(field(), { target: { value: 'Half a sen' } })
    expect(JSON.parse(sessionStorage.getItem('selectedConversation') ?? '')).toEqual({
      ...handOff,
      ownId: 10,
      templateMessage: 'Half a sen',
      isOffer: false,
    })
  })

  it('is not for whoever is signed in next in the same tab, nor is what was half written', async () => {
    const signIn = (id: number, username: string) => appToken.store(tokenFor({ id, username }, Date.now() + 900_000))
    open(handOff)
    await thread()
    fireEvent.change(field(), { target: { value: 'Between us' } })
    act(() => appToken.clear())
    act(() => signIn(11, 'mei'))
    expect(await screen.findByRole('heading', { name: 'No conversation selected' })).toBeInTheDocument()
    expect(screen.queryByLabelText('Message')).toBeNull()
    act(() => signIn(10, 'bala'))
    await thread()
    expect(field()).toHaveValue('Between us')
  })

  it('keeps what is half written while another one is open, and beyond a reload', async () => {
    const mei = { id: 4, username: 'mei', profileImage: null }
    api.answer(messagingRoutes.listConversations, () => [
      conversation(message(3), { user: mei }),
      conversation(message(2)),
    ])
    open({ ...handOff, templateMessage: '' })
    await thread()
    fireEvent.change(field(), { target: { value: 'To sarah' } })
    ;(await screen.findByRole('button', { name: /^mei/ })).click()
    await waitFor(() => expect(field()).toHaveValue(''))
    fireEvent.change(field(), { target: { value: 'To mei' } })
    screen.getByRole('button', { name: /^sarah/ }).click()
    await waitFor(() => expect(field()).toHaveValue('To sarah'))
    expect(keptDraft(10, 4)).toBe('To mei')
    expect(keptDraft(11, 4)).toBe('')
    fireEvent.change(field(), { target: { value: '' } })
    expect(keptDraft(10, 3)).toBe('')
  })

  it('may fail to load, and be tried again', async () => {
    api.answer(messagingRoutes.getConversation, () => refusal('unavailable'))
    open(handOff)
    expect(await screen.findByRole('heading', { name: 'Error Loading Conversation' })).toBeInTheDocument()
    expect(view.toasts).toContainEqual({
      title: 'Error Loading Conversation',
      description: 'Failed to load conversation messages. Please try again.',
      tone: 'destructive',
    })
    api.answer(messagingRoutes.getConversation, () => [message(2)])
    screen.getByRole('button', { name: 'Try Again' }).click()
    expect(await thread()).toHaveTextContent('Message 2')
  })

  it('with somebody who has left can be read, and not gone on with', async () => {
    const gone = { id: 3, username: null, profileImage: null }
    api.answer(messagingRoutes.listConversations, () => [conversation(message(2, { sender: gone }), { user: gone })])
    api.answer(messagingRoutes.getConversation, () => [message(2, { sender: gone })])
    open()
    ;(await screen.findByRole('button', { name: /Deleted user/ })).click()
    expect(await screen.findByRole('log', { name: 'Messages with Deleted user' })).toHaveTextContent('Message 2')
    expect(screen.getByText(/has deleted their account and can no longer be messaged/)).toBeInTheDocument()
    expect(screen.queryByLabelText('Message')).toBeNull()
  })

  it('may be blocked, after a question, and gone on with again', async () => {
    let isBlocked = false
    api.answer(messagingRoutes.listConversations, () => [conversation(message(2), { isBlocked })])
    api.answer(messagingRoutes.blockUser, () => {
      isBlocked = true
      return { success: true as const }
    })
    api.answer(messagingRoutes.unblockUser, () => {
      isBlocked = false
      return { success: true as const }
    })
    open(handOff)
    await thread()
    const choose = async (item: string) => {
      fireEvent.click(await screen.findByRole('button', { name: 'Actions for the conversation with sarah' }))
      fireEvent.click(await screen.findByRole('menuitem', { name: item }))
    }
    await choose('Block')
    const question = await screen.findByRole('alertdialog', { name: 'Block sarah?' })
    within(question).getByRole('button', { name: 'Block' }).click()
    expect(await screen.findByText(/You have blocked sarah\. Take it back/)).toBeInTheDocument()
    expect(screen.queryByLabelText('Message')).toBeNull()
    expect(view.toasts.at(-1)).toEqual({ title: 'You have blocked sarah.' })
    await choose('Unblock')
    await waitFor(() => expect(field()).toBeInTheDocument())
    expect(view.toasts.at(-1)).toEqual({ title: 'sarah can write to you again.' })
  })

  it('that is further down than the list can be blocked all the same, or gone on with again', async () => {
    const mei = { id: 4, username: 'mei', profileImage: null }
    api.answer(messagingRoutes.listConversations, ({ url: { searchParams } }) => {
      if (searchParams.get('cursor') === '3') return [conversation(message(2), { isBlocked: true })]
      const link = '</api/messages/conversations?cursor=9>; rel="next"'
      return Response.json([conversation(message(9), { user: mei })], { headers: { link } })
    })
    open(handOff)
    expect(await screen.findByText(/You have blocked sarah/)).toBeInTheDocument()
    fireEvent.click(screen.getByRole('button', { name: 'Actions for the conversation with sarah' }))
    expect(await screen.findByRole('menuitem', { name: 'Unblock' })).toBeInTheDocument()
    expect(screen.getByRole('button', { name: /^sarah/, current: true, hidden: true })).toBeInTheDocument()
  })

  it('shows what was written as text, and addresses as links', async () => {
    const content = '<b>Hello</b> https://example.com/a?b=1. javascript:alert(1)'
    api.answer(messagingRoutes.getConversation, () => [message(2, { content })])
    open(handOff)
    const log = await thread()
    expect(log).toHaveTextContent('<b>Hello</b>')
    const links = within(log).getAllByRole('link')
    expect(links.map((link) => [link.getAttribute('href'), link.getAttribute('rel')])).toEqual([
      ['https://example.com/a?b=1', 'noopener noreferrer nofollow'],
    ])
    expect(within(log).getByRole('note')).toHaveTextContent('This message has an outside link.')
  })

  it('shows addresses of somebody new as text', async () => {
    const content = 'https://example.com/a, or call 012-345 6789'
    api.answer(messagingRoutes.getConversation, () => [message(2, { content, areLinksPlain: true }), message(3)])
    open(handOff)
    const log = await thread()
    expect(log).toHaveTextContent('https://example.com/a')
    expect(within(log).queryByRole('link')).toBeNull()
    expect(within(log).getByRole('note')).toHaveTextContent(
      'This message has a phone number and an outside link. Be careful: what you agree on or pay elsewhere cannot be seen here. Links of accounts that are younger than 7 days cannot be opened.',
    )
  })

  it('shows the note of an administrator as theirs', async () => {
    const author = { id: 1, username: 'admin', profileImage: null }
    // It stands in the conversation as the seller's, who is bala here.
    const said = message(2, { senderId: 10, receiverId: 3, content: 'The order is shipped.', author })
    api.answer(messagingRoutes.getConversation, () => [said])
    api.answer(messagingRoutes.listConversations, () => [conversation(said)])
    open(handOff)
    const note = within(await thread())
      .getByText('The order is shipped.')
      .closest('article')
    expect(note).toHaveTextContent('Administrator admin')
    const entry = await screen.findByRole('button', { name: /^sarah/ })
    expect(entry).toHaveTextContent('Administrator admin: The order is shipped.')
    expect(entry).not.toHaveTextContent('You:')
  })

  it('can be reported, and what the other one wrote in it', async () => {
    const reports: unknown[] = []
    api.answer(messagingRoutes.getConversation, () => [
      message(2, { content: 'Pay me outside' }),
      message(3, { senderId: 10, content: 'No' }),
    ])
    api.answer(reportRoutes.fileReport, ({ body }) => {
      reports.push(body)
      return report(body)
    })
    open(handOff)
    await thread()
    fireEvent.click(await screen.findByRole('button', { name: 'Actions for the conversation with sarah' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Report' }))
    const dialog = await screen.findByRole('dialog', { name: 'Report' })
    const what = within(dialog).getByLabelText('What is it about?')
    expect([...what.querySelectorAll('option')].map(({ textContent }) => textContent)).toEqual([
      'sarah, as a person',
      'Message: Pay me outside',
    ])
    fireEvent.change(what, { target: { value: '1' } })
    // What comes meanwhile is not what was chosen.
    await connect()
    receive({ type: 'new_message', message: message(4, { content: 'Are you there?' }) })
    expect(within(dialog).getByRole('option', { selected: true })).toHaveTextContent('Message: Pay me outside')
    fireEvent.click(within(dialog).getByLabelText('Scam or fraud'))
    fireEvent.click(within(dialog).getByRole('button', { name: 'Send report' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(reports).toEqual([{ kind: 'message', targetId: 2, reason: 'scam', text: null }])
  })
})

describe('writing', () => {
  beforeEach(async () => {
    open({ ...handOff, templateMessage: '' })
    await connect()
    await thread()
  })

  /** The list gets another conversation to go to. */
  async function withMei() {
    const mei = { id: 4, username: 'mei', profileImage: null }
    api.answer(messagingRoutes.listConversations, () => [
      conversation(message(3), { user: mei }),
      conversation(message(2)),
    ])
    api.answer(messagingRoutes.getConversation, ({ url }) => (url.pathname.endsWith('/4') ? [] : [message(2)]))
    screen.getByRole('button', { name: 'Refresh' }).click()
    await screen.findByRole('button', { name: /^mei/ })
    return (name: string) => fireEvent.click(screen.getByRole('button', { name: new RegExp(`^${name}`) }))
  }

  it('goes on in the field when it was sent by the button', async () => {
    fireEvent.change(field(), { target: { value: 'Is it still there?' } })
    const send = screen.getByRole('button', { name: 'Send message' })
    send.focus()
    fireEvent.click(send)
    expect(sentMessages()).toHaveLength(1)
    expect(send).toBeDisabled()
    expect(field()).toHaveFocus()
  })

  it('sends with Enter, and shows it before and after it is stored', async () => {
    expect(screen.getByRole('button', { name: 'Send message' })).toBeDisabled()
    await write('   ')
    expect(sentMessages()).toEqual([])
    await write(' Is it still there? ')
    const [frame] = sentMessages()
    expect(frame).toEqual({
      type: 'send_message',
      receiverId: 3,
      content: 'Is it still there?',
      productId: 7,
      clientMessageId: expect.any(String),
    })
    expect(field()).toHaveValue('')
    expect(await thread()).toHaveTextContent('Is it still there?Sending')
    const stored = message(9, { senderId: 10, content: 'Is it still there?' })
    receive({ type: 'message_sent', message: stored, clientMessageId: String(frame?.['clientMessageId']) })
    expect(await thread()).toHaveTextContent('Is it still there?Nov 21, 4:00 PMSent')
    expect(screen.getByRole('button', { name: /^sarah/ })).toHaveTextContent('You: Is it still there?')
  })

  it.each([
    ['while a word is composed', { isComposing: true }],
    ['by which Safari ends the composing of a word', { keyCode: 229 }],
  ])('is not sent by the Enter %s', (_, of) => {
    fireEvent.change(field(), { target: { value: 'Ni hao' } })
    fireEvent.keyDown(field(), { key: 'Enter', ...of })
    expect(sentMessages()).toEqual([])
  })

  it('begins a new line with Shift and Enter', () => {
    fireEvent.change(field(), { target: { value: 'One' } })
    fireEvent.keyDown(field(), { key: 'Enter', shiftKey: true })
    expect(sentMessages()).toEqual([])
  })

  it.each([
    [
      { code: 'unavailable', message: 'No' } as const,
      { title: 'Message Not Sent', description: 'Failed to send your message. Please try again.' },
    ],
    [
      { code: 'own-message', message: 'Cannot Message Yourself' } as const,
      { title: 'Cannot Message Yourself', description: 'This is your own product listing.' },
    ],
    [
      { code: 'rate-limited', message: 'Too many requests' } as const,
      { title: 'Messaging Error', description: 'Too many requests' },
    ],
    [
      { code: 'blocked', message: 'This person cannot be messaged.' } as const,
      { title: 'Message Not Sent', description: 'This person cannot be messaged.' },
    ],
    [
      { code: 'user-gone', message: 'This person has left.' } as const,
      { title: 'Message Not Sent', description: 'This person has left.' },
    ],
  ])('says why it was not sent, and lets it be tried again: %o', async (error, told) => {
    await write('Hello')
    const clientMessageId = String(sentMessages()[0]?.['clientMessageId'])
    receive({ type: 'error', ...error, clientMessageId })
    expect(view.toasts.at(-1)).toEqual({ ...told, tone: 'destructive' })
    within(await thread())
      .getByRole('button', { name: 'Try Again' })
      .click()
    await waitFor(() => expect(sentMessages()).toHaveLength(2))
    expect(sentMessages()[1]).toEqual(sentMessages()[0])
    receive({ type: 'message_sent', message: message(9, { senderId: 10 }), clientMessageId })
    expect(await thread()).not.toHaveTextContent('Not sent')
  })

  it('is kept by Refresh, with what was not sent', async () => {
    await write('Hello')
    const clientMessageId = String(sentMessages()[0]?.['clientMessageId'])
    receive({ type: 'error', code: 'unavailable', message: 'No', clientMessageId })
    const fieldBefore = field()
    api.answer(messagingRoutes.getConversation, () => [message(4, { content: 'News' })])
    screen.getByRole('button', { name: 'Refresh' }).click()
    await waitFor(async () => expect(await thread()).toHaveTextContent('News'))
    expect(await thread()).toHaveTextContent('HelloNot sent')
    expect(field()).toBe(fieldBefore)
  })

  it('says what got no answer also when the conversation was left, and keeps it there', async () => {
    const choose = await withMei()
    vi.useFakeTimers()
    await write('Are you there?')
    const clientMessageId = String(sentMessages()[0]?.['clientMessageId'])
    choose('mei')
    act(() => vi.advanceTimersByTime(10_000))
    expect(view.toasts).toEqual([
      { title: 'Message Not Sent', description: 'Failed to send your message. Please try again.', tone: 'destructive' },
    ])
    vi.useRealTimers()
    expect(await screen.findByText('Say hello')).toBeInTheDocument()
    choose('sarah')
    expect(await thread()).toHaveTextContent('Are you there?Not sent')
    // It had got through after all.
    receive({ type: 'message_sent', message: message(9, { senderId: 10 }), clientMessageId })
    expect(await thread()).not.toHaveTextContent('Not sent')
  })

  it('saves a document once, and keeps the focus on it', async () => {
    api.answer(messagingRoutes.getMessageFile, () => new Promise<never>(() => {}))
    const file = { name: 'receipt.pdf', type: 'application/pdf' as const, bytes: 9, width: null, height: null }
    receive({
      type: 'new_message',
      message: message(9, { messageType: 'FILE', fileUrl: '/api/message-files/r', file }),
    })
    const document = await screen.findByRole('button', { name: /receipt.pdf/ })
    document.focus()
    fireEvent.click(document)
    fireEvent.click(document)
    expect(document).toBeEnabled()
    expect(api.countOf(messagingRoutes.getMessageFile)).toBe(1)
  })

  it('goes on with a file when the conversation is left', async () => {
    const choose = await withMei()
    const { promise, resolve } = Promise.withResolvers<{ success: true; message: Message }>()
    api.answer(messagingRoutes.uploadFile, () => promise)
    const file = new File(['receipt'], 'receipt.pdf', { type: 'application/pdf' })
    fireEvent.change(screen.getByTestId('file-picker'), { target: { files: [file] } })
    expect(await thread()).toHaveTextContent('receipt.pdf')
    expect(readUnsent().files).toMatchObject([{ senderId: 10, receiverId: 3, name: 'receipt.pdf' }])
    choose('mei')
    await screen.findByText('Say hello')
    choose('sarah')
    expect(await thread()).not.toHaveTextContent('receipt.pdf')
    resolve({ success: true, message: message(9, { senderId: 10 }) })
    await waitFor(() => expect(view.toasts).toEqual([{ title: 'File Uploaded' }]))
    expect(readUnsent().files).toEqual([])
  })

  it('tells nobody of a file whose sender has left', async () => {
    await withMei()
    const { promise, resolve } = Promise.withResolvers<{ success: true; message: Message }>()
    api.answer(messagingRoutes.uploadFile, () => promise)
    const file = new File(['receipt'], 'receipt.pdf', { type: 'application/pdf' })
    fireEvent.change(screen.getByTestId('file-picker'), { target: { files: [file] } })
    act(() => appToken.store(tokenFor({ id: 11, username: 'wei' }, Date.now() + 900_000)))
    resolve({ success: true, message: message(9, { senderId: 10 }) })
    await waitFor(() => expect(readUnsent().files).toEqual([]))
    expect(view.toasts).toEqual([])
  })

  it('says in the language of the page why it was not sent', async () => {
    await write('Hello')
    onTestFinished(() => showLanguage('en'))
    await act(() => showLanguage('ms'))
    const clientMessageId = String(sentMessages()[0]?.['clientMessageId'])
    receive({ type: 'error', code: 'rate-limited', message: 'Too many requests', clientMessageId })
    expect(view.toasts.at(-1)).toMatchObject({ description: 'Terlalu banyak permintaan' })
  })

  it('does not try without a connection, and keeps the words', async () => {
    act(() => FakeSocket.newest().lose())
    expect(screen.getByText(/You are not connected/)).toBeInTheDocument()
    await write('Hello')
    expect(view.toasts.at(-1)).toEqual({
      title: 'Connection Error',
      description: 'Not connected to messaging server. Please try again.',
      tone: 'destructive',
    })
    expect(field()).toHaveValue('Hello')
  })
})

describe('what was not sent before a reload', () => {
  const of = (senderId: number, place: number) => ({
    clientMessageId: `00000000-0000-4000-8000-00000000000${place}`,
    senderId,
    receiverId: 3,
  })
  const again = (senderId: number) => {
    open(handOff, '', {
      texts: [{ ...of(senderId, 1), content: 'Is the box there?', productId: 7, isFailed: true }],
      files: [{ ...of(senderId, 2), name: 'receipt.pdf' }],
    })
    return thread()
  }

  it('is there, and sent under the same id when it is tried again', async () => {
    const log = await again(10)
    await connect()
    expect(log).toHaveTextContent('Is the box there?Not sent.Try AgainDiscard')
    expect(sentMessages()).toEqual([])
    within(log).getByRole('button', { name: 'Try Again' }).click()
    const { clientMessageId } = of(10, 1)
    expect(sentMessages()).toMatchObject([{ content: 'Is the box there?', productId: 7, clientMessageId }])
    receive({ type: 'message_sent', message: message(9, { senderId: 10 }), clientMessageId })
    expect(readUnsent().texts).toEqual([])
  })

  it('is there, and may be discarded', async () => {
    const log = await again(10)
    const discard = (of: string | RegExp) => {
      const line = within(log).getByText(of).closest('article') as HTMLElement
      fireEvent.click(within(line).getByRole('button', { name: 'Discard' }))
    }
    expect(within(log).getByText('receipt.pdf').closest('article')).toHaveTextContent(/choose it again/)
    discard('Is the box there?')
    expect(log).toHaveFocus()
    ;(document.activeElement as HTMLElement).blur()
    discard('receipt.pdf')
    expect(log).toHaveFocus()
    expect(log).not.toHaveTextContent(/Is the box there|receipt/)
    expect(readUnsent()).toEqual({ texts: [], files: [] })
  })

  it('is found again from another conversation and after a reload, also to somebody who is not in the list', async () => {
    const mei = { id: 4, username: 'mei', profileImage: null }
    api.answer(messagingRoutes.listConversations, () => [conversation(message(3), { user: mei })])
    api.answer(messagingRoutes.getConversation, () => [])
    await again(10)
    const sarah = (words: RegExp) =>
      screen.findByRole('button', { name: new RegExp(`^sarah.*Oud Wood.*${words.source}`) })
    expect(await sarah(/Not sent yet: Is the box there\?$/)).toHaveAttribute('aria-current', 'true')
    ;(await screen.findByRole('button', { name: /^mei/ })).click()
    expect(await screen.findByText('Say hello')).toBeInTheDocument()
    reload()
    expect(await screen.findByText('Say hello')).toBeInTheDocument()
    ;(await sarah(/Is the box there\?$/)).click()
    const log = await thread()
    expect(log).toHaveTextContent('Is the box there?Not sent.')
    await connect()
    const discard = () => within(log).getAllByRole('button', { name: 'Discard' })
    fireEvent.click(discard()[0] as HTMLElement)
    expect(await sarah(/Not sent yet: receipt.pdf$/)).toBeInTheDocument()
    expect(discard()).toHaveLength(1)
    fireEvent.click(discard()[0] as HTMLElement)
    expect(screen.queryByText(/Not sent yet/)).toBeNull()
  })

  it('is in the list as any other conversation once something was sent', async () => {
    const mei = { id: 4, username: 'mei', profileImage: null }
    api.answer(messagingRoutes.listConversations, () => [conversation(message(3), { user: mei })])
    api.answer(messagingRoutes.getConversation, () => [])
    await again(10)
    await connect()
    const { clientMessageId } = of(10, 1)
    receive({ type: 'message_sent', message: message(9, { senderId: 10 }), clientMessageId })
    expect(await screen.findByRole('button', { name: /^sarah.*You: Message 9$/ })).toBeInTheDocument()
    await waitFor(() => expect(screen.getByRole('button', { name: 'Refresh' })).not.toHaveAttribute('aria-disabled'))
    expect(screen.getByRole('button', { name: /^sarah.*You: Message 9$/ })).toBeInTheDocument()
    expect(screen.queryByText(/Not sent yet/)).toBeNull()
  })

  it('is found again where the list is empty, and so is what is half written', async () => {
    api.answer(messagingRoutes.listConversations, () => [])
    api.answer(messagingRoutes.getConversation, () => [])
    open({ ...handOff, templateMessage: '' }, 'Half a sen')
    expect(await screen.findByRole('button', { name: /^sarah.*Not sent yet: Half a sen$/ })).toBeInTheDocument()
    fireEvent.change(field(), { target: { value: '' } })
    expect(screen.queryByText(/Not sent yet/)).toBeNull()
  })

  it('is not for whoever is signed in next', async () => {
    expect(await again(11)).not.toHaveTextContent(/Is the box there|receipt/)
  })
})

describe('what arrives', () => {
  it('is on screen at once, read, and needs no toast', async () => {
    api.answer(messagingRoutes.getConversation, () => [message(2, { isRead: true })])
    open(handOff)
    await connect()
    await thread()
    receive({ type: 'new_message', message: message(3, { content: 'News' }) })
    expect(await thread()).toHaveTextContent('News')
    await waitFor(() => expect(FakeSocket.newest().sentOf('mark_read')).toHaveLength(1))
    expect(view.toasts).toEqual([])
  })

  it('elsewhere is told in a toast with its beginning, and counted', async () => {
    open()
    await connect()
    await screen.findByRole('button', { name: /^sarah/ })
    receive({ type: 'new_message', message: message(3, { content: 'y'.repeat(51) }) })
    expect(view.toasts).toMatchObject([{ title: 'New message from sarah', description: `${'y'.repeat(50)}...` }])
    receive({ type: 'unread_count', count: 3 })
    await waitFor(() => expect(screen.getByLabelText('Unread')).toHaveTextContent('3'))
    expect(screen.getByRole('button', { name: /^sarah/ })).toHaveTextContent('3 unread messages')
    act(() => view.toasts[0]?.action?.onAct())
    expect(await thread()).toBeInTheDocument()
  })

  it('by an administrator is told as theirs', async () => {
    open()
    await connect()
    await screen.findByRole('button', { name: /^sarah/ })
    const author = { id: 1, username: 'admin', profileImage: null }
    receive({ type: 'new_message', message: message(3, { content: 'The order is shipped.', author }) })
    expect(view.toasts).toMatchObject([{ title: 'New message from admin', description: 'The order is shipped.' }])
  })

  it('is not opened over something unsaved unasked', async () => {
    open()
    await connect()
    await screen.findByRole('button', { name: /^sarah/ })
    receive({ type: 'new_message', message: message(3) })
    const asked: Departure[] = []
    onTestFinished(holdDepartures((departure) => asked.push(departure)))
    act(() => view.toasts[0]?.action?.onAct())
    expect(asked).toHaveLength(1)
    act(() => asked[0]?.())
    expect(await thread()).toBeInTheDocument()
  })

  it('as a card after a step is told once, whichever frame comes first', async () => {
    open()
    await connect()
    await screen.findByRole('button', { name: /^sarah/ })
    const next = card(5, 'CONFIRM_DELIVERY', { content: 'Confirm delivery' })
    receive({ type: 'action_confirmed', message: card(4, 'CONFIRM_PAYMENT', { senderId: 10 }), next })
    receive({ type: 'new_message', message: next })
    expect(view.toasts).toMatchObject([{ title: 'New message from sarah', description: 'Confirm delivery' }])
  })

  it('is said in the language of the page where the words are ours, and as it was written where they are not', async () => {
    const content = 'Please confirm your purchase of Oud Wood.'
    api.answer(messagingRoutes.listConversations, () => [
      conversation(card(2, 'INITIATE', { content })),
      conversation(message(1, { content }), { user: { id: 4, username: 'mei', profileImage: null } }),
    ])
    open()
    await connect()
    await screen.findByRole('button', { name: /^sarah/ })
    onTestFinished(() => showLanguage('en'))
    await act(() => showLanguage('ms'))
    expect(screen.getByRole('button', { name: /^sarah/ })).toHaveTextContent('Sila sahkan pembelian anda: Oud Wood.')
    expect(screen.getByRole('button', { name: /^mei/ })).toHaveTextContent(content)
    receive({ type: 'new_message', message: card(5, 'REVIEW', { content: 'Oud Wood has arrived. How was it?' }) })
    expect(view.toasts.at(-1)).toMatchObject({ description: 'Oud Wood telah sampai. Bagaimanakah ia?' })
    receive({ type: 'new_message', message: message(6, { content }) })
    expect(view.toasts.at(-1)).toMatchObject({ description: content })
  })

  it('while the connection was away is asked for when it is back', async () => {
    open(handOff)
    await connect()
    await thread()
    const before = api.countOf(messagingRoutes.getConversation)
    receive({ type: 'auth_success', userId: 10 })
    await waitFor(() => expect(api.countOf(messagingRoutes.getConversation)).toBe(before + 1))
  })

  it('while the list is read again stays in it, and so does what was read', async () => {
    open()
    await connect()
    const list = within(await screen.findByRole('region', { name: 'Conversations' }))
    expect(await list.findByText('2 unread messages')).toBeInTheDocument()
    const { promise, resolve } = Promise.withResolvers<Conversation[]>()
    api.answer(messagingRoutes.listConversations, () => promise)
    const before = [conversation(message(2), { unreadCount: 2, product })]
    receive({ type: 'auth_success', userId: 10 })
    receive({ type: 'messages_read', readerId: 10, senderId: 3, messageIds: [1, 2] })
    receive({ type: 'new_message', message: message(5, { content: 'Still there?' }) })
    await act(async () => resolve(before))
    expect(list.getByText('Still there?')).toBeInTheDocument()
    expect(list.getByText('1 unread message')).toBeInTheDocument()
  })

  it('leaves in the list what was asked for further down', async () => {
    const mei = { id: 4, username: 'mei', profileImage: null }
    const all = [conversation(message(2)), conversation(message(1), { user: mei })]
    api.answer(messagingRoutes.listConversations, ({ url: { searchParams } }) => {
      if (searchParams.has('cursor')) return all.slice(1)
      if (Number(searchParams.get('limit')) > 50) return all
      const link = '</api/messages/conversations?cursor=2>; rel="next"'
      return Response.json(all.slice(0, 1), { headers: { link } })
    })
    open()
    await connect()
    fireEvent.click(await screen.findByRole('button', { name: 'Show more' }))
    await screen.findByRole('button', { name: /^mei/ })
    const before = api.countOf(messagingRoutes.listConversations)
    receive({ type: 'auth_success', userId: 10 })
    await waitFor(() => expect(api.countOf(messagingRoutes.listConversations)).toBe(before + 1))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Refresh' })).not.toHaveAttribute('aria-disabled'))
    expect(screen.getByRole('button', { name: /^mei/ })).toBeInTheDocument()
  })
})

describe('a refusal that is of no message', () => {
  const key = '00000000-0000-4000-8000-000000000001'
  const flood = { type: 'error', code: 'rate-limited', message: 'Too many requests' } as const

  it('is told, and a flood of them once in a while', async () => {
    open(handOff)
    await connect()
    await thread()
    vi.useFakeTimers({ toFake: ['Date'] })
    for (let count = 0; count < 3; count++) receive(flood)
    const told = { title: 'Messaging Error', description: 'Too many requests', tone: 'destructive' }
    expect(view.toasts).toEqual([told])
    vi.advanceTimersByTime(10_000)
    receive({ type: 'error', code: 'unavailable', message: 'Not now' })
    expect(view.toasts).toEqual([told, { ...told, description: 'Not now' }])
  })

  it.each([
    ['an auction', { ...flood, auctionId: 1 }],
    ['a bid', { ...flood, bidId: key }],
    ['a message that nobody waits for any more', { ...flood, clientMessageId: key }],
    ['the session', { ...flood, code: 'account-suspended', message: 'Account suspended' }],
  ] as const)('of %s is told elsewhere', async (_, frame) => {
    open(handOff)
    await connect()
    await thread()
    receive(frame)
    expect(view.toasts).toEqual([])
  })
})

it('asks to log in again when the server takes no token, and when somebody writes all the same', async () => {
  const bala = { id: 10, username: 'bala' }
  api.answer(identityRoutes.exchangeSession, () => ({
    token: tokenFor(bala, Date.now() + 900_000),
    user: currentUser,
  }))
  view = renderAt('/messages', <Opener selected={handOff} />, bala, { currentToken: async () => 'provider-1' })
  localStorage.setItem(providerStorageKey, 'provider-1')
  await thread()
  act(() => FakeSocket.newest().accept())
  for (const count of [1, 2, 3]) {
    await waitFor(() => expect(FakeSocket.newest().sentOf('auth')).toHaveLength(count))
    expect(view.toasts).toEqual([])
    receive({ type: 'error', code: 'invalid-token', message: 'Invalid token' })
  }
  const told = {
    title: 'Authentication Error',
    description: 'Please log in again to use messaging features.',
    tone: 'destructive',
  }
  expect(view.toasts).toEqual([told])
  await write('Hello')
  expect(view.toasts).toEqual([told, told])
  expect(field()).toHaveValue('Hello')
})

it('says when no connection comes about', async () => {
  open()
  await screen.findByRole('button', { name: /^sarah/ })
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  for (const delayMs of [2_000, 4_000, 8_000]) {
    act(() => FakeSocket.newest().lose())
    expect(view.toasts).toEqual([])
    act(() => vi.advanceTimersByTime(delayMs))
  }
  act(() => FakeSocket.newest().lose())
  expect(view.toasts).toEqual([
    {
      title: 'Connection Error',
      description: 'Failed to connect to messaging server after multiple attempts. Please try again later.',
      tone: 'destructive',
      action: { label: 'Try Again', onAct: expect.any(Function) },
    },
  ])
  // The way to try again begins anew, and ends alike.
  const before = FakeSocket.opened.length
  act(() => view.toasts[0]?.action?.onAct())
  expect(FakeSocket.opened).toHaveLength(before + 1)
  for (const delayMs of [2_000, 4_000, 8_000]) {
    act(() => FakeSocket.newest().lose())
    act(() => vi.advanceTimersByTime(delayMs))
  }
  expect(view.toasts).toHaveLength(1)
  act(() => FakeSocket.newest().lose())
  expect(view.toasts).toHaveLength(2)
})
