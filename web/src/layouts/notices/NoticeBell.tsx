import { Bell } from 'lucide-react'
import { Suspense, useState } from 'react'
import { styled } from 'styled-components'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useNoticeNews } from '../../live/use-notice-news.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { Count } from '../Count.tsx'
import { noticeWords } from './notice-words.ts'

/** Only who presses for it needs this. */
const NoticePanel = lazyPart(async () => (await import('./NoticePanel.tsx')).NoticePanel)

/** Says how much has happened that the signed-in person has not seen, and opens it. */
export function NoticeBell() {
  const { t } = useTranslation()
  const { unread, latest } = useNoticeNews()
  const [state, setState] = useState<'never-opened' | 'open' | 'closed'>('never-opened')
  return (
    <>
      <Button
        aria-label={unread > 0 ? t('notices.unreadCount', { count: unread }) : t('notices.title')}
        aria-haspopup="dialog"
        aria-expanded={state === 'open'}
        onClick={() => setState('open')}
      >
        <Bell size={22} strokeWidth={1.5} aria-hidden />
        <Count of={unread} />
      </Button>
      <VisuallyHidden role="status">{latest && noticeWords(latest, t).title}</VisuallyHidden>
      {state !== 'never-opened' && (
        <Suspense fallback={null}>
          <NoticePanel isOpen={state === 'open'} unread={unread} onClose={() => setState('closed')} />
        </Suspense>
      )}
    </>
  )
}

const Button = styled(IconButton)`
  position: relative;
`
