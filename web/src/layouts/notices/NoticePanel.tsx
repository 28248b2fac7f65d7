import type { Notice } from '@wangian/contracts/notices.ts'
import { BellOff } from 'lucide-react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { formatDateTime } from '../../lib/date-time.ts'
import { imageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, radius, space, text, tint, weight } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Drawer } from '../../ui/Drawer.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { Picture } from '../../ui/Picture.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { noticeTarget, noticeWords } from './notice-words.ts'
import { useNotices } from './use-notices.ts'

/** What has happened to the signed-in person, each of it the way to where they go on. */
export function NoticePanel({ isOpen, unread, onClose }: { isOpen: boolean; unread: number; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Drawer isOpen={isOpen} onClose={onClose} title={t('notices.title')} closeLabel={t('notices.close')}>
      <Notices unread={unread} onLeave={onClose} />
    </Drawer>
  )
}

function Notices({ unread, onLeave }: { unread: number; onLeave: () => void }) {
  const { t } = useTranslation()
  const { notices, error, hasMore, isLoadingMore, showMore, reload, read, readAll } = useNotices()
  if (error && !notices) {
    return (
      <LoadFailure heading="h3" tone="secondary" onRetry={reload}>
        {shownMessage(error)}
      </LoadFailure>
    )
  }
  if (!notices) return <Coming />
  const [first] = notices
  if (!first) {
    return (
      <EmptyState
        heading="h3"
        icon={<BellOff size={32} strokeWidth={1.5} />}
        title={t('notices.empty')}
        action={
          <ButtonLink to={paths.products({ type: 'auction' })} onClick={onLeave}>
            {t('notices.browse')}
          </ButtonLink>
        }
      >
        {t('notices.emptyText')}
      </EmptyState>
    )
  }
  const tellFailure = (problem: unknown) =>
    showToast({ title: t('problem.error'), description: shownMessage(problem), tone: 'destructive' })
  return (
    <>
      {unread > 0 && (
        <Top>
          <Button size="small" tone="secondary" onClick={() => void readAll(first.id).catch(tellFailure)}>
            {t('notices.readAll')}
          </Button>
        </Top>
      )}
      <ul>
        {notices.map((notice) => (
          <Item
            key={notice.key}
            notice={notice}
            onFollow={() => {
              // It stays unread when that fails, which harms nobody on their way.
              if (!notice.isRead) void read({ id: notice.id }).catch(() => {})
              onLeave()
            }}
          />
        ))}
      </ul>
      {hasMore && <ShowMore failure={error && shownMessage(error)} isBusy={isLoadingMore} onPress={showMore} />}
    </>
  )
}

function Item({ notice, onFollow }: { notice: Notice; onFollow: () => void }) {
  const { t } = useTranslation()
  const { title, detail } = noticeWords(notice, t)
  const { at, isRead, product } = notice
  return (
    <Line>
      <Way to={noticeTarget(notice)} onClick={onFollow}>
        <Thumb>
          <Picture src={imageSource(product?.imageUrl)} alt="" sizes="48px" />
        </Thumb>
        <span>
          {!isRead && <VisuallyHidden>{t('notices.unread')}: </VisuallyHidden>}
          <Title $isNew={!isRead}>{title}</Title>
          {detail && <Detail>{detail}</Detail>}
          <When dateTime={at}>{formatDateTime(at)}</When>
        </span>
        {!isRead && <Dot aria-hidden />}
      </Way>
    </Line>
  )
}

function Coming() {
  const { t } = useTranslation()
  return (
    <div role="status" aria-label={t('shell.loading')}>
      {[0, 1, 2, 3].map((place) => (
        <Shape key={place} aria-hidden>
          <Skeleton $height={space(15)} />
          <div>
            <Skeleton $width="80%" $height={space(5)} />
            <Skeleton $width="50%" $height={space(4)} />
          </div>
        </Shape>
      ))}
    </div>
  )
}

const Top = styled.div`
  display: flex;
  justify-content: flex-end;
  margin-bottom: ${space(3)};
`

const Line = styled.li`
  & + & { border-top: 1px solid ${color.line}; }
`

const Way = styled(Link)`
  display: grid;
  grid-template-columns: ${space(12)} minmax(0, 1fr) ${space(2)};
  gap: ${space(4)};
  align-items: start;
  margin: 0 -${space(3)};
  padding: ${space(4)} ${space(3)};
  border-radius: ${radius.small};
  color: ${color.ink};
  text-decoration: none;
  &:hover { background: ${tint('ink', 6)}; }
`

const Thumb = styled.span`
  overflow: hidden;
  border-radius: ${radius.small};
`

const Title = styled.span<{ $isNew: boolean }>`
  display: block;
  font-weight: ${({ $isNew }) => ($isNew ? weight.strong : weight.regular)};
  overflow-wrap: anywhere;
`

const Detail = styled.span`
  display: block;
  margin-top: ${space(1)};
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
`

const When = styled.time`
  display: block;
  margin-top: ${space(1)};
  color: ${color.muted};
  font-size: ${text.small};
`

const Dot = styled.span`
  width: ${space(2)};
  height: ${space(2)};
  margin-top: ${space(2)};
  border-radius: ${radius.round};
  background: ${color.live};
`

const Shape = styled.div`
  display: grid;
  grid-template-columns: ${space(12)} minmax(0, 1fr);
  gap: ${space(4)};
  padding: ${space(4)} 0;
  & > div { display: grid; gap: ${space(2)}; align-content: start; }
`
