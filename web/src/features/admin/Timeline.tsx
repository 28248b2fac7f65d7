import { adminRoutes, TIMELINE_ENTRIES_MAX, type TimelineEntry } from '@wangian/contracts/admin.ts'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { useApi } from '../../api/use-api.ts'
import { formatDay, formatMoment } from '../../lib/dates.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, font, from, radius, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { PersonLink } from './names.tsx'
import { reasonIn, sentenceOf } from './timeline-words.ts'

interface Person {
  readonly id: number
  readonly username: string | null
}

/** What has happened to somebody or something, the latest first, in sentences. `people` are those whose names are known. */
export function Timeline({
  kind,
  id,
  people,
}: {
  kind: 'user' | 'order' | 'listing'
  id: number
  people: readonly Person[]
}) {
  const { t } = useTranslation()
  const { data, error, mutate } = useApi(adminRoutes.getTimeline, { params: { kind, id } }, { revalidateOnMount: true })
  const names = new Map<number, string>()
  for (const { id: person, username } of [...people, ...(data ?? []).flatMap(({ actor }) => actor ?? [])]) {
    if (username !== null) names.set(person, username)
  }
  const nameOf = (person: number) => names.get(person) ?? null
  return (
    <Part aria-busy={(!data && !error) || undefined}>
      <Title>{t('admin.timelineTitle')}</Title>
      {error && !data && (
        <Notice tone="live" title={t('problem.loadTitle')}>
          <p>{shownMessage(error)}</p>
          <Button size="small" tone="secondary" onClick={() => void mutate()}>
            {t('problem.tryAgain')}
          </Button>
        </Notice>
      )}
      {!data && !error && [1, 2, 3].map((line) => <Skeleton key={line} $height={space(10)} />)}
      {data?.length === 0 && <Muted>{t('admin.timelineEmpty')}</Muted>}
      {data && data.length >= TIMELINE_ENTRIES_MAX && (
        <Muted>{t('admin.onlyLatest', { count: TIMELINE_ENTRIES_MAX })}</Muted>
      )}
      {daysOf(data ?? []).map(({ day, entries }) => (
        <section key={day} aria-label={day}>
          <Day>{day}</Day>
          <List>
            {entries.map((entry) => (
              <Entry key={entry.id}>
                <Time dateTime={entry.at}>{formatMoment(entry.at, Date.parse(entry.at))}</Time>
                <div>
                  <p>{sentenceOf(entry, nameOf, t)}</p>
                  {reasonIn(entry) !== null && <Reason>{reasonIn(entry)}</Reason>}
                  {entry.actor && !(kind === 'user' && entry.actor.id === id) && (
                    <Muted>
                      {t('admin.timelineBy')} <PersonLink person={entry.actor} />
                    </Muted>
                  )}
                </div>
              </Entry>
            ))}
          </List>
        </section>
      ))}
    </Part>
  )
}

/** Entries under the day that they belong to. */
function daysOf(entries: readonly TimelineEntry[]): readonly { day: string; entries: TimelineEntry[] }[] {
  const days: { day: string; entries: TimelineEntry[] }[] = []
  for (const entry of entries) {
    const day = formatDay(entry.at)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

const Part = styled.section`
  display: grid;
  gap: ${space(4)};
  min-width: 0;
`

const Title = styled.h2`
  font-size: ${text.title};
`

const Day = styled.h3`
  padding-bottom: ${space(2)};
  border-bottom: 1px solid ${color.line};
  color: ${color.muted};
  font-family: ${font.sans};
  font-size: ${text.small};
`

const List = styled.ol`
  margin: 0;
  padding: 0;
  list-style: none;
`

const Entry = styled.li`
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: ${space(1)};
  padding: ${space(3)} 0;
  & + & { border-top: 1px solid ${color.line}; }
  ${from.tablet} { grid-template-columns: ${space(28)} minmax(0, 1fr); }
  overflow-wrap: anywhere;
`

const Time = styled.time`
  color: ${color.muted};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
  line-height: 1.8;
`

const Reason = styled.blockquote`
  margin: ${space(1)} 0;
  padding-left: ${space(3)};
  border-left: 2px solid ${color.edge};
  border-radius: ${radius.small};
`

const Muted = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`
