import type { Conversation } from '@wangian/contracts/messaging.ts'
import { useEffect, useState } from 'react'
import { styled } from 'styled-components'
import type { ConversationHandOff } from '../../contact/conversation-hand-off.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useLiveSocket, useLiveStatus } from '../../live/use-live-socket.ts'
import { useUser } from '../../session/use-session.ts'
import { color, reach, space, text, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ChatHead } from './ChatHead.tsx'
import { Composer } from './Composer.tsx'
import { CreateTransaction } from './CreateTransaction.tsx'
import { MessageList } from './MessageList.tsx'
import { useConversation } from './use-conversation.ts'
import { useFileSending } from './use-file-sending.ts'

/** The conversation with somebody: who it is, what it is about, what was written, and where to write. */
export function ChatPane({
  ownId,
  selected,
  known,
  refreshes,
  onUnknown,
  onDraft,
  onBlockChanged,
}: {
  ownId: number
  selected: ConversationHandOff
  /** The same conversation in the list, unless nothing has been written yet, or it is further down. */
  known: Conversation | undefined
  /** Has the list find it by its last message; `null` while there is no list. */
  onUnknown: ((lastMessageId: number) => Promise<void>) | null
  /** How often everything was asked for again. */
  refreshes: number
  /** What is being written is kept beyond a reload. */
  onDraft: (draft: string) => void
  onBlockChanged: () => Promise<void>
}) {
  const { t } = useTranslation()
  const isSeller = useUser()?.isSeller === true
  const [isOffering, setOffering] = useState(false)
  const [draft, setDraft] = useState(selected.templateMessage)
  const conversation = useConversation({ ownId, otherId: selected.userId, refreshes })
  const fileSending = useFileSending(ownId, selected.userId, conversation.tell)
  const socket = useLiveSocket()
  const { status: liveStatus, failures } = useLiveStatus()
  const user = personOf(selected, known, conversation.messages)
  const name = user.username ?? t('person.deleted')
  const product =
    selected.productId !== null ? { id: selected.productId, name: selected.productName } : (known?.product ?? null)

  // Whether somebody is blocked, only the list says.
  const lastId = conversation.messages.at(-1)?.id
  const isUnknown = known === undefined
  useEffect(() => {
    if (isUnknown && lastId !== undefined) void onUnknown?.(lastId)
  }, [isUnknown, lastId, onUnknown])

  const write = (text: string) => {
    setDraft(text)
    onDraft(text)
  }
  const sendDraft = () => {
    const message = { clientMessageId: crypto.randomUUID(), content: draft.trim(), productId: product?.id ?? null }
    if (conversation.send(message)) write('')
  }

  return (
    <>
      <ChatHead
        user={user}
        product={product}
        known={known}
        messages={conversation.messages}
        onBlockChanged={onBlockChanged}
      />
      <Written name={name} ownId={ownId} conversation={conversation} fileSending={fileSending} />
      <Offline role="status">
        {liveStatus === 'disconnected' && (
          <>
            {t('messages.offline')}
            {failures > 0 && (
              <Retry type="button" onClick={() => socket.retry()}>
                {t('messages.tryAgain')}
              </Retry>
            )}
          </>
        )}
      </Offline>
      {user.username === null || known?.isBlocked ? (
        <InPlace>
          <Notice>{user.username === null ? t('messages.gone') : t('messages.youBlocked', { name })}</Notice>
        </InPlace>
      ) : (
        <Composer
          draft={draft}
          onDraft={write}
          onSend={sendDraft}
          onFile={(file) => fileSending.send(file, product?.id ?? null)}
          onOffer={isSeller ? () => setOffering(true) : null}
        />
      )}
      {isOffering && (
        <CreateTransaction
          buyer={{ id: user.id, name }}
          aboutId={product?.id ?? null}
          onOffer={conversation.offer}
          onClose={() => setOffering(false)}
        />
      )}
      <Safety>
        <strong>{t('messages.safetyTitle')}.</strong> {t('messages.safety', { email: t('footer.email') })}
      </Safety>
    </>
  )
}

/** What was written, or what takes its place until there is something. */
function Written({
  name,
  ownId,
  conversation,
  fileSending,
}: {
  name: string
  ownId: number
  conversation: ReturnType<typeof useConversation>
  fileSending: ReturnType<typeof useFileSending>
}) {
  const { t } = useTranslation()
  const { status, messages, outgoing, nextCursor, send, discard, tell, loadOlder, reload } = conversation
  if (status === 'loading') return <LoadingMessages />
  if (status === 'failed') {
    return (
      <Filler>
        <EmptyState
          heading="h3"
          title={t('messages.conversationTitle')}
          action={<Button onClick={() => void reload()}>{t('messages.tryAgain')}</Button>}
        >
          {t('messages.conversationText')}
        </EmptyState>
      </Filler>
    )
  }
  if (messages.length + outgoing.length + fileSending.files.length === 0) {
    return (
      <Filler>
        <EmptyState heading="h3" title={t('messages.firstTitle')}>
          {t('messages.firstText')}
        </EmptyState>
      </Filler>
    )
  }
  return (
    <MessageList
      name={name}
      ownId={ownId}
      messages={messages}
      outgoing={outgoing}
      hasOlder={nextCursor !== null}
      onShowOlder={loadOlder}
      onRetry={send}
      onDiscard={discard}
      cardNews={{ tell, reload }}
      fileSending={fileSending}
    />
  )
}

/** The newest that is known of somebody: they may have changed their name since, or left. */
function personOf(
  { userId, username, profileImage }: ConversationHandOff,
  known: Conversation | undefined,
  messages: ReturnType<typeof useConversation>['messages'],
) {
  const last = messages.at(-1)
  if (last !== undefined) return last.senderId === userId ? last.sender : last.receiver
  return known?.user ?? { id: userId, username, profileImage }
}

function LoadingMessages() {
  return (
    <Waiting aria-hidden>
      <Skeleton $height={space(12)} $width="55%" />
      <Own>
        <Skeleton $height={space(12)} $width="45%" />
      </Own>
      <Skeleton $height={space(18)} $width="65%" />
    </Waiting>
  )
}

const Filler = styled.div`
  display: grid;
  align-content: center;
  height: 400px;
  overflow-y: auto;
`

const Waiting = styled.div`
  display: flex;
  flex-direction: column;
  gap: ${space(4)};
  justify-content: flex-end;
  height: 400px;
  padding: ${space(4)} ${space(5)};
`

const Own = styled.div`
  display: flex;
  justify-content: flex-end;
`

const Offline = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  align-items: center;
  justify-content: space-between;
  padding: 0 ${space(5)};
  color: ${color.warn};
  font-size: ${text.small};
  &:not(:empty) { padding-block: ${space(2)}; border-top: 1px solid ${color.line}; }
`

const Retry = styled.button`
  position: relative;
  padding: 0;
  border: 0;
  background: none;
  color: ${color.ink};
  font-weight: ${weight.strong};
  text-decoration: underline;
  ${reach(12)}
`

/** In place of the field, where nothing can be written. */
const InPlace = styled.div`
  padding: ${space(3)} ${space(4)};
  border-top: 1px solid ${color.line};
`

const Safety = styled.p`
  padding: 0 ${space(5)} ${space(4)};
  color: ${color.muted};
  font-size: ${text.small};
`
