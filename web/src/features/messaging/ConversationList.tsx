import type { Conversation } from '@wangian/contracts/messaging.ts'
import { useEffect, useRef } from 'react'
import { styled } from 'styled-components'
import type { ConversationHandOff } from '../../contact/conversation-hand-off.ts'
import { formatMessageTime } from '../../lib/dates.ts'
import { profileImageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { beginningOf } from '../../live/use-message-news.ts'
import { color, motion, radius, space, text, tint, weight } from '../../theme/theme.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import type { UnlistedConversation } from './use-unlisted.ts'

const previewCharactersMax = 60

/** With whom somebody has written, the latest first, below those to whom nothing is sent yet. */
export function ConversationList({
  ownId,
  conversations,
  unlisted,
  selectedId,
  onSelect,
  onOpen,
  showMore,
}: {
  ownId: number
  conversations: readonly Conversation[]
  unlisted: readonly UnlistedConversation[]
  selectedId: number | null
  onSelect: (conversation: Conversation) => void
  onOpen: (conversation: ConversationHandOff) => void
  /** `null` when all are here. */
  showMore: (() => Promise<void>) | null
}) {
  const { t } = useTranslation()
  const list = useRef<HTMLUListElement>(null)
  const isSelectedListed = conversations.some(({ user }) => user.id === selectedId)
  // The list is no higher than the conversation beside it, and the chosen one may be further down.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen one is found in the page
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [selectedId, isSelectedListed])
  return (
    <>
      <ul ref={list}>
        {unlisted.map(({ conversation, unsent }) => (
          <li key={conversation.userId}>
            <Entry
              type="button"
              aria-current={conversation.userId === selectedId ? 'true' : undefined}
              onClick={() => onOpen(conversation)}
            >
              <UnsentContents conversation={conversation} unsent={unsent} />
            </Entry>
          </li>
        ))}
        {conversations.map((conversation) => (
          <li key={conversation.user.id}>
            <Entry
              type="button"
              aria-current={conversation.user.id === selectedId ? 'true' : undefined}
              onClick={() => onSelect(conversation)}
            >
              <Contents ownId={ownId} conversation={conversation} />
            </Entry>
          </li>
        ))}
      </ul>
      {showMore && (
        <More>
          <Button size="small" tone="secondary" onClick={() => void showMore()}>
            {t('messages.more')}
          </Button>
        </More>
      )}
    </>
  )
}

function Contents({ ownId, conversation }: { ownId: number; conversation: Conversation }) {
  const { t } = useTranslation()
  const { user, lastMessage, unreadCount, product } = conversation
  const name = user.username ?? t('person.deleted')
  const preview = beginningOf(lastMessage, previewCharactersMax)
  return (
    <>
      <Avatar src={profileImageSource(user.profileImage)} name={name} />
      <Words>
        <Head>
          <Name $isUnread={unreadCount > 0}>{name}</Name>
          <Time>{formatMessageTime(lastMessage.createdAt) ?? t('messages.unknownTime')}</Time>
        </Head>
        {product && (
          <About>
            {t('messages.regardingProduct', {
              product: product.isRemoved ? t('messages.removedProduct', { product: product.name }) : product.name,
            })}
          </About>
        )}
        <Head>
          <Preview $isUnread={unreadCount > 0}>
            {lastMessage.author
              ? `${t('messages.administrator', { name: lastMessage.author.username ?? '' })}: ${preview}`
              : lastMessage.senderId === ownId
                ? t('messages.you', { text: preview })
                : preview}
          </Preview>
          {unreadCount > 0 && (
            <>
              <Count aria-hidden>{unreadCount > 99 ? '99+' : unreadCount}</Count>
              <VisuallyHidden>{t('messages.unread', { count: unreadCount })}</VisuallyHidden>
            </>
          )}
        </Head>
      </Words>
    </>
  )
}

function UnsentContents({ conversation, unsent }: UnlistedConversation) {
  const { t } = useTranslation()
  const { username, profileImage, productName } = conversation
  const name = username ?? t('person.deleted')
  const preview = beginningOf({ content: unsent, actionType: null }, previewCharactersMax)
  return (
    <>
      <Avatar src={profileImageSource(profileImage)} name={name} />
      <Words>
        <Name $isUnread={false}>{name}</Name>
        {productName && <About>{t('messages.regardingProduct', { product: productName })}</About>}
        <Preview $isUnread={false}>{t('messages.unsent', { text: preview })}</Preview>
      </Words>
    </>
  )
}

const Entry = styled.button`
  display: flex;
  gap: ${space(3)};
  align-items: flex-start;
  width: 100%;
  padding: ${space(3)} ${space(4)};
  border: 0;
  border-bottom: 1px solid ${color.line};
  background: none;
  text-align: left;
  transition: background-color ${motion.quick};
  &:hover { background: ${tint('ink', 4)}; }
  &[aria-current='true'] { background: ${tint('accent', 10)}; box-shadow: inset 3px 0 ${color.accent}; }
  &:focus-visible { outline-offset: -2px; }
`

const Words = styled.span`
  display: grid;
  flex: 1;
  gap: ${space(0.5)};
  min-width: 0;
`

const Head = styled.span`
  display: flex;
  gap: ${space(2)};
  align-items: baseline;
  justify-content: space-between;
  min-width: 0;
`

const Name = styled.span<{ $isUnread: boolean }>`
  overflow: hidden;
  font-weight: ${({ $isUnread }) => ($isUnread ? weight.strong : weight.regular)};
  text-overflow: ellipsis;
  white-space: nowrap;
`

const Time = styled.span`
  flex: none;
  color: ${color.muted};
  font-size: ${text.small};
`

const About = styled.span`
  overflow: hidden;
  color: ${color.accent};
  font-size: ${text.small};
  text-overflow: ellipsis;
  white-space: nowrap;
`

const Preview = styled.span<{ $isUnread: boolean }>`
  min-width: 0;
  color: ${({ $isUnread }) => ($isUnread ? color.ink : color.muted)};
  font-size: ${text.small};
  overflow-wrap: anywhere;
`

const Count = styled.span`
  flex: none;
  min-width: ${space(5)};
  padding: 0 ${space(1.5)};
  border-radius: ${radius.round};
  background: ${color.live};
  color: ${color.paper};
  font-size: ${text.small};
  font-weight: ${weight.strong};
  line-height: ${space(5)};
  text-align: center;
`

const More = styled.div`
  display: flex;
  justify-content: center;
  padding: ${space(4)};
`
