import { formatRinggit } from '@wangian/contracts/money.ts'
import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { formatDateTime } from '../../lib/date-time.ts'
import { imageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, from, radius, space, text, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Picture } from '../../ui/Picture.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ChatLink } from './ChatLink.tsx'
import { useWaitingCards } from './orders.ts'

/**
 * What waits for the signed-in person: each step of a deal that they are to take. How much that is cannot be told before, so what stands
 * below comes after it, and is not pushed down.
 */
export function WaitingCards({ children }: { children?: ReactNode }) {
  const { t } = useTranslation()
  const { data, error, mutate } = useWaitingCards()
  return (
    <>
      <Part aria-labelledby="waiting-cards">
        <Title id="waiting-cards">{t('orders.needsYou')}</Title>
        {data ? (
          data.length === 0 ? (
            <Quiet>{t('orders.nothingWaits')}</Quiet>
          ) : (
            <ul>
              {data.map(({ messageId, actionType, amount, since, user, product }) => {
                const name = user.username ?? t('person.deleted')
                return (
                  <Line key={messageId}>
                    <Thumb>
                      <Picture src={imageSource(product.imageUrl)} alt="" sizes="48px" />
                    </Thumb>
                    <div>
                      <What>{t(`orders.waits.${actionType}`, { product: product.name })}</What>
                      <Quiet>
                        {t('orders.waitsWith', { name, amount: formatRinggit(amount), since: formatDateTime(since) })}
                      </Quiet>
                    </div>
                    <ChatLink user={user} product={product} size="small">
                      {t('orders.openChat')}
                    </ChatLink>
                  </Line>
                )
              })}
            </ul>
          )
        ) : error ? (
          <Failed role="alert">
            <Quiet>{shownMessage(error)}</Quiet>
            <Button size="small" tone="secondary" onClick={() => void mutate()}>
              {t('problem.tryAgain')}
            </Button>
          </Failed>
        ) : (
          <Skeleton $height={space(12)} />
        )}
      </Part>
      {(data || error) && children}
    </>
  )
}

const Part = styled.section`
  margin-bottom: ${space(10)};
  padding: ${space(5)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
`

const Title = styled.h2`
  margin-bottom: ${space(3)};
  font-size: ${text.title};
`

const Line = styled.li`
  display: grid;
  grid-template-columns: ${space(12)} minmax(0, 1fr);
  gap: ${space(3)} ${space(4)};
  align-items: center;
  padding: ${space(3)} 0;
  & + & { border-top: 1px solid ${color.line}; }
  & > :last-child { grid-column: 1 / -1; }
  ${from.tablet} {
    grid-template-columns: ${space(12)} minmax(0, 1fr) auto;
    & > :last-child { grid-column: auto; }
  }
`

const Thumb = styled.div`
  overflow: hidden;
  border-radius: ${radius.small};
`

const What = styled.p`
  font-weight: ${weight.strong};
  overflow-wrap: anywhere;
`

const Quiet = styled.p`
  color: ${color.muted};
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
`

const Failed = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  align-items: center;
  justify-content: space-between;
`
