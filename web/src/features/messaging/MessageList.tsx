import type { Message } from '@wangian/contracts/messaging.ts'
import { ArrowDown, Check, CheckCheck } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { styled } from 'styled-components'
import { formatMessageTime } from '../../lib/dates.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, radius, space, text, tint, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { ActionCard } from './ActionCard.tsx'
import { FileMessage, LineAction, SendingFileLine } from './FileMessage.tsx'
import { MessageText } from './MessageText.tsx'
import type { Outgoing } from './outbox.ts'
import { dividersOf, ProductDivider } from './ProductDivider.tsx'
import type { CardNews } from './use-card-actions.ts'
import type { useFileSending } from './use-file-sending.ts'
import { useMessageScroll } from './use-message-scroll.ts'

/** What two people wrote to each other, the latest at the bottom and in sight. */
export function MessageList({
  name,
  ownId,
  messages,
  outgoing,
  hasOlder,
  onShowOlder,
  onRetry,
  onDiscard,
  cardNews,
  fileSending,
}: {
  name: string
  ownId: number
  messages: readonly Message[]
  outgoing: readonly Outgoing[]
  hasOlder: boolean
  onShowOlder: () => Promise<void>
  onRetry: (outgoing: Outgoing) => void
  onDiscard: (outgoing: Outgoing) => void
  cardNews: CardNews
  fileSending: ReturnType<typeof useFileSending>
}) {
  const { t } = useTranslation()
  const dividers = dividersOf(messages)
  const { frame, onScroll, hasNewBelow, toBottom } = useMessageScroll(
    messages,
    outgoing.length + fileSending.files.length,
  )
  const [isLoadingOlder, setLoadingOlder] = useState(false)
  // Its line, or its button, goes: the focus stays with the messages.
  const settle = (doWith: () => void) => {
    doWith()
    frame.current?.focus({ preventScroll: true })
  }
  const showOlder = async () => {
    setLoadingOlder(true)
    await onShowOlder()
    setLoadingOlder(false)
  }
  return (
    <Place>
      <Frame ref={frame} onScroll={onScroll} tabIndex={0} role="log" aria-label={t('messages.with', { name })}>
        {hasOlder && (
          <Older>
            <Button size="small" tone="secondary" busy={isLoadingOlder} onClick={() => void showOlder()}>
              {t('messages.earlier')}
            </Button>
          </Older>
        )}
        {messages.map((message) => {
          const product = dividers.get(message.id)
          const foot = <MessageFoot message={message} isOwn={message.senderId === ownId && !message.author} />
          return (
            <Fragment key={message.id}>
              {product && <ProductDivider product={product} />}
              {message.actionType ? (
                <ActionCard card={message} actionType={message.actionType} ownId={ownId} name={name} news={cardNews}>
                  {foot}
                </ActionCard>
              ) : (
                <SentLine message={message} isOwn={message.senderId === ownId}>
                  {foot}
                </SentLine>
              )}
            </Fragment>
          )
        })}
        {outgoing.map((each) => (
          <OutgoingLine
            key={each.clientMessageId}
            outgoing={each}
            onRetry={() => settle(() => onRetry(each))}
            onDiscard={() => settle(() => onDiscard(each))}
          />
        ))}
        {fileSending.files.map((each) => (
          <Line key={each.clientMessageId} $isOwn $isPending>
            <SendingFileLine
              sending={each}
              onRetry={() => settle(() => fileSending.retry(each))}
              onCancel={() => settle(() => fileSending.cancel(each))}
            />
          </Line>
        ))}
      </Frame>
      {hasNewBelow && (
        <Below>
          <Button size="small" onClick={toBottom}>
            <ArrowDown size={16} strokeWidth={1.75} aria-hidden />
            {t('messages.newBelow')}
          </Button>
        </Below>
      )}
    </Place>
  )
}

/** Words or a file of one of the two, or of an administrator who has stepped in. */
function SentLine({ message, isOwn, children }: { message: Message; isOwn: boolean; children: ReactNode }) {
  const { t } = useTranslation()
  const { author, file } = message
  return (
    <Line $isOwn={isOwn} $isNote={author !== undefined}>
      {author && <Author>{t('messages.administrator', { name: author.username ?? '' })}</Author>}
      {file ? (
        <FileMessage message={message} file={file} />
      ) : (
        <MessageText areLinksPlain={message.areLinksPlain}>{message.content}</MessageText>
      )}
      {children}
    </Line>
  )
}

/** Words that are on their way, or were not sent. */
function OutgoingLine({
  outgoing: { content, isFailed },
  onRetry,
  onDiscard,
}: {
  outgoing: Outgoing
  onRetry: () => void
  onDiscard: () => void
}) {
  const { t } = useTranslation()
  return (
    <Line $isOwn $isPending>
      <MessageText>{content}</MessageText>
      <Foot>
        {isFailed ? (
          <>
            <Failed>{t('messages.notSent')}</Failed>
            <LineAction type="button" onClick={onRetry}>
              {t('messages.tryAgain')}
            </LineAction>
            <LineAction type="button" onClick={onDiscard}>
              {t('messages.discard')}
            </LineAction>
          </>
        ) : (
          t('messages.sending')
        )}
      </Foot>
    </Line>
  )
}

/** When something was sent, and whether it was read. */
function MessageFoot({ message: { createdAt, isRead }, isOwn }: { message: Message; isOwn: boolean }) {
  const { t } = useTranslation()
  return (
    <Foot>
      <time dateTime={createdAt}>{formatMessageTime(createdAt) ?? t('messages.unknownTime')}</time>
      {isOwn && <Tick isRead={isRead} />}
    </Foot>
  )
}

/** One tick when it is stored, two when it was read. */
function Tick({ isRead }: { isRead: boolean }) {
  const { t } = useTranslation()
  const Icon = isRead ? CheckCheck : Check
  return (
    <>
      <Icon size={15} strokeWidth={2} aria-hidden />
      <VisuallyHidden>{isRead ? t('messages.read') : t('messages.sent')}</VisuallyHidden>
    </>
  )
}

const Place = styled.div`
  position: relative;
`

const Frame = styled.div`
  display: flex;
  flex-direction: column;
  gap: ${space(2)};
  height: 400px;
  padding: ${space(4)} ${space(5)};
  overflow-y: auto;
  overscroll-behavior: contain;
  background: ${color.paper};
  /* The first ones stand at the bottom, too. */
  & > :first-child { margin-top: auto; }
  &:focus-visible { outline-offset: -2px; }
`

const Older = styled.div`
  display: flex;
  flex: none;
  justify-content: center;
  padding-bottom: ${space(2)};
`

const Line = styled.article<{ $isOwn: boolean; $isPending?: boolean; $isNote?: boolean }>`
  flex: none;
  align-self: ${({ $isOwn, $isNote }) => ($isNote ? 'center' : $isOwn ? 'flex-end' : 'flex-start')};
  max-width: min(80%, ${space(130)});
  padding: ${space(2)} ${space(3.5)};
  border: 1px solid ${({ $isOwn }) => ($isOwn ? tint('accent', 30) : color.line)};
  border-radius: ${radius.large};
  border-bottom-right-radius: ${({ $isOwn }) => ($isOwn ? radius.small : radius.large)};
  border-bottom-left-radius: ${({ $isOwn }) => ($isOwn ? radius.large : radius.small)};
  background: ${({ $isOwn }) => ($isOwn ? tint('accent', 10) : color.surface)};
  border-style: ${({ $isPending }) => ($isPending ? 'dashed' : 'solid')};
`

const Author = styled.p`
  font-size: ${text.small};
  font-weight: ${weight.strong};
`

const Foot = styled.div`
  display: flex;
  gap: ${space(1.5)};
  align-items: center;
  justify-content: flex-end;
  margin-top: ${space(0.5)};
  color: ${color.muted};
  font-size: ${text.small};
`

const Failed = styled.span`
  color: ${color.live};
`

const Below = styled.div`
  position: absolute;
  right: 0;
  bottom: ${space(3)};
  left: 0;
  display: flex;
  justify-content: center;
`
