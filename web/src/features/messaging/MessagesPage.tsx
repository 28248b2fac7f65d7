import type { Conversation } from '@wangian/contracts/messaging.ts'
import { ArrowLeft, MessagesSquare, RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { styled } from 'styled-components'
import { type ConversationHandOff, handOverConversation } from '../../contact/conversation-hand-off.ts'
import { handedOverConversation } from '../../contact/handed-over-conversation.ts'
import { useMedia } from '../../lib/use-media.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'
import { color, from, phone, radius, space, text, tint } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Drawer } from '../../ui/Drawer.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Page, PageTitle } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ChatPane } from './ChatPane.tsx'
import { ConversationList } from './ConversationList.tsx'
import { keepDraft, keptDraft } from './drafts.ts'
import { useConversationLink } from './use-conversation-link.ts'
import { useConversations } from './use-conversations.ts'
import { useSocketTrouble } from './use-socket-trouble.ts'
import { useUnlisted } from './use-unlisted.ts'

/** The conversations of the signed-in person. */
export default function MessagesPage() {
  const user = useUser()
  const isOpening = useConversationLink(user?.id ?? null)
  if (!user) return <Frame />
  if (isOpening) {
    return (
      <Page>
        <LoadingList />
      </Page>
    )
  }
  return <Messages key={user.id} ownId={user.id} />
}

/** Before it is known who looks: what is the same for everybody, and where the rest is going to be. */
function Frame() {
  const { t } = useTranslation()
  return (
    <Page>
      <title>{`${t('messages.pageTitle')} · ${t('shell.brand')}`}</title>
      <Head>
        <BackHome />
        <PageTitle>{t('messages.title')}</PageTitle>
      </Head>
      <Columns>
        <LoadingList />
        <Pane />
      </Columns>
    </Page>
  )
}

function Messages({ ownId }: { ownId: number }) {
  const { t } = useTranslation()
  const { selected, visit, select, open, keep } = useSelection(ownId)
  const { status, conversations, isRefreshing, reload, bring, showMore } = useConversations(ownId)
  const unlisted = useUnlisted(ownId, conversations, selected)
  const hasNone = conversations.length + unlisted.length === 0
  // Asking for everything again includes the open conversation.
  const [refreshes, setRefreshes] = useState(0)
  useSocketTrouble()
  const isPhone = useMedia(phone.replace('@media ', '')) === true
  const [isDrawerOpen, setDrawerOpen] = useDrawer(isPhone && !hasNone && selected === null)

  const choose = (conversation: Conversation) => {
    setDrawerOpen(false)
    select(conversation)
  }
  const refresh = () => {
    setRefreshes((count) => count + 1)
    void reload()
  }
  const list =
    status === 'loading' ? (
      <LoadingList />
    ) : status === 'failed' ? (
      <EmptyState
        heading="h2"
        title={t('messages.loadTitle')}
        action={<Button onClick={() => void reload()}>{t('messages.tryAgain')}</Button>}
      />
    ) : hasNone ? (
      <NoMessages />
    ) : (
      <ConversationList
        ownId={ownId}
        conversations={conversations}
        unlisted={unlisted}
        selectedId={selected?.userId ?? null}
        onSelect={choose}
        onOpen={(conversation) => {
          setDrawerOpen(false)
          open(conversation)
        }}
        showMore={showMore}
      />
    )
  const isEmpty = status === 'ready' && hasNone && selected === null

  return (
    <Page>
      <title>{`${t('messages.pageTitle')} · ${t('shell.brand')}`}</title>
      <Head>
        <BackHome />
        <PageTitle>{t('messages.title')}</PageTitle>
        <Button size="small" tone="secondary" busy={isRefreshing} onClick={refresh}>
          <RefreshCw size={16} strokeWidth={1.75} aria-hidden />
          {t('messages.refresh')}
        </Button>
      </Head>
      {isEmpty ? (
        <NoMessages />
      ) : (
        <Columns>
          <Aside aria-label={t('messages.conversations')}>{list}</Aside>
          <Pane>
            <ToList>
              <Button size="small" tone="secondary" wide onClick={() => setDrawerOpen(true)}>
                <MessagesSquare size={16} strokeWidth={1.75} aria-hidden />
                {t('messages.showConversations')}
              </Button>
            </ToList>
            {selected ? (
              <ChatPane
                key={`${selected.userId} ${visit}`}
                ownId={ownId}
                selected={selected}
                known={conversations.find(({ user }) => user.id === selected.userId)}
                refreshes={refreshes}
                onUnknown={status === 'ready' ? bring : null}
                onDraft={keep}
                onBlockChanged={reload}
              />
            ) : isPhone && status === 'failed' ? (
              // Beside the pane, where a wide screen has it, it would be out of sight.
              list
            ) : (
              <EmptyState icon={<MessagesSquare size={32} strokeWidth={1.25} />} title={t('messages.noneTitle')}>
                {t('messages.noneText')}
              </EmptyState>
            )}
          </Pane>
        </Columns>
      )}
      <Drawer
        side="left"
        isOpen={isDrawerOpen}
        onClose={() => setDrawerOpen(false)}
        title={t('messages.conversations')}
        closeLabel={t('messages.close')}
      >
        <InDrawer>{list}</InDrawer>
      </Drawer>
    </Page>
  )
}

/** Which conversation is open: the one that was handed over, by another page or by this one before a reload. */
function useSelection(ownId: number) {
  // A link to this page from this page hands over, too.
  const { key: visit } = useLocation()
  const [opened, setOpened] = useState(() => ({ visit, selected: handedOverTo(ownId) }))
  if (opened.visit !== visit) setOpened({ visit, selected: handedOverTo(ownId) })
  const { selected } = opened
  const set = (next: ConversationHandOff) => {
    handOverConversation(ownId, next)
    setOpened({ visit, selected: next })
  }
  const open = (next: ConversationHandOff) => set({ ...next, templateMessage: keptDraft(ownId, next.userId) })
  return {
    selected,
    visit,
    open,
    select: ({ user, product }: Conversation) =>
      open({
        userId: user.id,
        username: user.username,
        profileImage: user.profileImage,
        productId: product?.id ?? null,
        productName: product?.name ?? null,
        templateMessage: '',
      }),
    keep: (draft: string) => {
      if (selected === null) return
      keepDraft(ownId, selected.userId, draft)
      set({ ...selected, templateMessage: draft })
    },
  }
}

/** What is half written is not lost to the words that were handed over: an offer comes below it, and others only begin a message. */
function handedOverTo(ownId: number): ConversationHandOff | null {
  const handedOver = handedOverConversation(ownId)
  if (handedOver === null) return null
  const { templateMessage, isOffer } = handedOver
  const draft = keptDraft(ownId, handedOver.userId)
  if (draft === '') return handedOver
  const isMissing = isOffer && !draft.includes(templateMessage)
  return { ...handedOver, templateMessage: isMissing ? `${draft}\n\n${templateMessage}` : draft }
}

/** On a phone the list opens by itself where there is something to choose and nothing chosen. */
function useDrawer(isOffered: boolean) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOffered) setOpen(true)
  }, [isOffered])
  return [isOpen, setOpen] as const
}

function BackHome() {
  const { t } = useTranslation()
  return (
    <Back to={paths.home()} aria-label={t('messages.back')}>
      <ArrowLeft size={20} strokeWidth={1.5} aria-hidden />
    </Back>
  )
}

function NoMessages() {
  const { t } = useTranslation()
  return (
    <EmptyState
      title={t('messages.emptyTitle')}
      action={<ButtonLink to={paths.home()}>{t('messages.emptyAction')}</ButtonLink>}
    >
      {t('messages.emptyText')}
    </EmptyState>
  )
}

function LoadingList() {
  const { t } = useTranslation()
  return (
    <LoadingFrame role="status" aria-label={t('shell.loading')}>
      {[0, 1, 2, 3, 4].map((line) => (
        <Skeleton key={line} $height={space(14)} />
      ))}
    </LoadingFrame>
  )
}

const Head = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  align-items: center;
  & > h1 { flex: 1; }
`

const Back = styled(Link)`
  display: grid;
  flex: none;
  place-items: center;
  width: ${space(11)};
  height: ${space(11)};
  margin-left: -${space(3)};
  border-radius: ${radius.round};
  &:hover { background: ${tint('ink', 6)}; }
`

const Columns = styled.div`
  margin-top: ${space(5)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  overflow: hidden;
  background: ${color.surface};
  ${from.tablet} { display: grid; grid-template-columns: ${space(72)} minmax(0, 1fr); margin-top: ${space(8)}; }
  ${from.desktop} { grid-template-columns: ${space(88)} minmax(0, 1fr); }
`

const Aside = styled.section`
  display: none;
  ${from.tablet} {
    display: block;
    /* As high as the conversation beside it, and no higher. */
    max-height: ${space(150)};
    overflow-y: auto;
  }
  h2 { font-size: ${text.title}; }
`

const Pane = styled.div`
  min-width: 0;
  ${from.tablet} { border-left: 1px solid ${color.line}; }
`

const ToList = styled.div`
  padding: ${space(3)} ${space(4)};
  border-bottom: 1px solid ${color.line};
  ${from.tablet} { display: none; }
`

const InDrawer = styled.div`
  /* The entries reach from edge to edge. */
  margin: -${space(5)};
`

const LoadingFrame = styled.div`
  display: grid;
  gap: ${space(4)};
  padding: ${space(4)};
`
