import type { ActionType, Message } from '@wangian/contracts/messaging.ts'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { formatCardAmount } from '../../lib/card-amount.ts'
import { imageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, font, radius, space, text, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Picture } from '../../ui/Picture.tsx'
import { Status } from '../../ui/Status.tsx'
import { type CardState, cardState } from './card-state.ts'
import { keepReview } from './drafts.ts'
import { ReviewForm } from './ReviewForm.tsx'
import { type CardNews, useCardActions } from './use-card-actions.ts'

/** A step of a deal as a receipt: what it is about, what it costs, how it stands, and for its receiver the way on. */
export function ActionCard({
  card,
  actionType,
  ownId,
  name,
  news,
  children,
}: {
  card: Message
  actionType: ActionType
  ownId: number
  /** Of the other one. */
  name: string
  news: CardNews
  /** When it was sent. */
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { product, transaction } = card
  const state = cardState(card, ownId)
  const standing = useStandingFocus(state)
  const actions = useCardActions(news, standing.expectNoChange)
  const [isAsking, setAsking] = useState(false)
  const isUnfinished = state === 'open' || state === 'waiting'

  const submit = async (review: Parameters<typeof actions.review>[1]) => {
    standing.expectChange()
    if (await actions.review(card.id, review)) keepReview(ownId, card.id, null)
  }
  const cancel = async (transactionId: number) => {
    standing.expectChange()
    await actions.cancel(transactionId)
    setAsking(false)
  }
  return (
    <Receipt $isOwn={card.senderId === ownId}>
      <Head>
        <Kind>{t(`deal.${actionType}.title`)}</Kind>
        {transaction && <DealNumber>{t('deal.number', { id: transaction.id })}</DealNumber>}
      </Head>
      {product && <CardProduct product={product} />}
      {transaction && (
        <Total>
          <span>{t('deal.amount')}</span>
          <strong>{formatCardAmount(transaction.amount)}</strong>
        </Total>
      )}
      <Standing ref={standing.place} tabIndex={-1}>
        {isUnfinished && transaction?.isShipped && <Status tone="ok">{t('deal.shipped')}</Status>}
        <CardStanding card={card} actionType={actionType} state={state} name={name} />
      </Standing>
      {state === 'open' && (
        <Actions>
          {actionType === 'REVIEW' ? (
            <ReviewForm
              ownId={ownId}
              cardId={card.id}
              isBusy={actions.busy === 'review'}
              onSubmit={(review) => void submit(review)}
            />
          ) : (
            <>
              <Hint>{t(`deal.${actionType}.hint`, { name })}</Hint>
              <Button
                size="small"
                wide
                busy={actions.busy === 'confirm'}
                busyLabel={t('deal.confirming')}
                onClick={() => {
                  standing.expectChange()
                  void actions.confirm(card.id, actionType)
                }}
              >
                {t(`deal.${actionType}.action`)}
              </Button>
            </>
          )}
        </Actions>
      )}
      {isUnfinished && transaction?.isCancellable && (
        // While its step is being taken nothing would come of it.
        <Button size="small" tone="plain" wide disabled={actions.busy !== null} onClick={() => setAsking(true)}>
          {t('deal.cancel')}
        </Button>
      )}
      {children}
      {isAsking && transaction && (
        <Confirm
          title={t('deal.cancelQuestion')}
          words={t('deal.cancelWords', { name })}
          confirmLabel={t('deal.cancel')}
          cancelLabel={t('deal.keep')}
          busy={actions.busy === 'cancel'}
          busyLabel={t('deal.cancelling')}
          onConfirm={() => void cancel(transaction.id)}
          onCancel={() => setAsking(false)}
        />
      )}
    </Receipt>
  )
}

function CardProduct({ product }: { product: NonNullable<Message['product']> }) {
  const { t } = useTranslation()
  return (
    <Product>
      <Thumb>
        <Picture src={imageSource(product.imageUrl)} alt="" sizes="56px" />
      </Thumb>
      <div>
        <Name>
          {product.isRemoved ? (
            t('messages.removedProduct', { product: product.name })
          ) : (
            <Link to={paths.product(product.id)}>{product.name}</Link>
          )}
        </Name>
        <Listed>{t('deal.listed', { amount: formatCardAmount(product.price) })}</Listed>
      </div>
    </Product>
  )
}

/** How a card stands, in words. */
function CardStanding({
  card: { transaction },
  actionType,
  state,
  name,
}: {
  card: Message
  actionType: ActionType
  state: CardState
  name: string
}) {
  const { t } = useTranslation()
  if (state === 'open') return <Status tone="warn">{t('deal.yourTurn')}</Status>
  if (state === 'waiting') return <Status tone="muted">{t(`deal.${actionType}.waiting`, { name })}</Status>
  if (state === 'cancelled') return <Status tone="live">{t('deal.cancelled')}</Status>
  const rating = actionType === 'REVIEW' ? transaction?.rating : null
  return (
    <>
      <Status tone="ok">{t(`deal.${actionType}.done`)}</Status>
      {rating !== null && rating !== undefined && <Given>{t('review.stars', { rating })}</Given>}
      {transaction?.status === 'CANCELLED' && <Status tone="live">{t('deal.cancelled')}</Status>}
    </>
  )
}

/** What was pressed goes away with the step: the focus goes to the words that say how it stands now. */
function useStandingFocus(state: CardState) {
  const place = useRef<HTMLDivElement>(null)
  const isExpected = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the change
  useEffect(() => {
    if (isExpected.current) place.current?.focus({ preventScroll: true })
    isExpected.current = false
  }, [state])
  return {
    place,
    expectChange: () => {
      isExpected.current = true
    },
    expectNoChange: () => {
      isExpected.current = false
    },
  }
}

const Receipt = styled.article<{ $isOwn: boolean }>`
  display: grid;
  flex: none;
  gap: ${space(3)};
  align-self: ${({ $isOwn }) => ($isOwn ? 'flex-end' : 'flex-start')};
  width: min(100%, ${space(80)});
  padding: ${space(4)};
  border: 1px solid ${color.line};
  border-top: 3px solid ${color.accent};
  border-radius: ${radius.small};
  background: ${color.surface};
  font-variant-numeric: tabular-nums;
`

const Head = styled.div`
  display: flex;
  gap: ${space(3)};
  align-items: baseline;
  justify-content: space-between;
`

const Kind = styled.h3`
  font-size: ${text.lead};
`

const DealNumber = styled.span`
  flex: none;
  color: ${color.muted};
  font-size: ${text.small};
`

const Product = styled.div`
  display: grid;
  grid-template-columns: ${space(14)} minmax(0, 1fr);
  gap: ${space(3)};
  align-items: center;
`

const Thumb = styled.div`
  overflow: hidden;
  border-radius: ${radius.small};
`

const Name = styled.p`
  font-family: ${font.serif};
  font-size: ${text.lead};
  line-height: 1.25;
  overflow-wrap: anywhere;
`

const Listed = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`

/** As on a receipt, between two dashed lines. */
const Total = styled.p`
  display: flex;
  gap: ${space(3)};
  align-items: baseline;
  justify-content: space-between;
  padding: ${space(2)} 0;
  border: dashed ${color.line};
  border-width: 1px 0;
  strong { font-size: ${text.title}; font-weight: ${weight.strong}; }
`

const Standing = styled.div`
  display: grid;
  gap: ${space(1)};
  & > span { white-space: normal; }
  &:focus-visible { outline-offset: ${space(1)}; }
`

const Given = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`

const Actions = styled.div`
  display: grid;
  gap: ${space(3)};
`

const Hint = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`
