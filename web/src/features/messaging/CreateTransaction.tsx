import { auctionRoutes } from '@wangian/contracts/auction.ts'
import { formatRinggit, senFromRinggit } from '@wangian/contracts/money.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { type FormEvent, useId, useRef, useState } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { useApi } from '../../api/use-api.ts'
import { picturesOf } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, radius, space, text } from '../../theme/theme.ts'
import { Affix } from '../../ui/Affix.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Radio } from '../../ui/Choices.tsx'
import { Dialog, DialogActions } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Fieldset, Legend } from '../../ui/Fieldset.tsx'
import { Input } from '../../ui/Input.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { Picture } from '../../ui/Picture.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { termsOf, useOfferedProducts } from './offered-products.ts'

/** What a seller offers. `amount` is in ringgit, and `null` where the price is not to be agreed on. */
export interface Offer {
  readonly productId: number
  readonly amount: number | null
  /** The same offer again has the same one, so that it counts once. */
  readonly clientMessageId: string
}

/** A seller chooses the bottle that the other one wants, and where it may be agreed on, for how much. */
export function CreateTransaction({
  buyer,
  aboutId,
  onOffer,
  onClose,
}: {
  buyer: { readonly id: number; readonly name: string }
  /** The product that the conversation is about. */
  aboutId: number | null
  /** @returns whether it was sent */
  onOffer: (offer: Offer) => Promise<boolean>
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const list = useOfferedProducts({ buyerId: buyer.id, aboutId, search: typed })
  const { product, buyNow, isNegotiable, agreed, isWrong, ...offer } = useOffered(list)
  const [isBusy, setBusy] = useState(false)
  const idOf = useOfferIds()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    offer.markTried()
    if (!product || !buyNow.isOffered || isWrong || isBusy) return
    setBusy(true)
    const isSent = await onOffer({
      productId: product.id,
      amount: agreed,
      clientMessageId: idOf(`${product.id} ${agreed}`),
    })
    setBusy(false)
    if (isSent) onClose()
  }

  return (
    <Dialog
      title={t('deal.create')}
      intro={t('deal.createIntro', { name: buyer.name })}
      closeLabel={t('messages.close')}
      isBusy={isBusy}
      onClose={onClose}
    >
      <Form onSubmit={(event) => void submit(event)} noValidate>
        <Field label={t('deal.find')}>
          {(control) => (
            <Input
              {...control}
              type="search"
              maxLength={100}
              placeholder={t('deal.findPlaceholder')}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                // It narrows the list as one types; what is chosen is sent by the button.
                if (event.key === 'Enter') event.preventDefault()
              }}
            />
          )}
        </Field>
        <Picker list={list} search={typed} chosenId={product?.id ?? null} onChoose={offer.choose} />
        {isNegotiable && (
          <Field
            label={t('deal.agreedAmount')}
            help={t('deal.agreedHelp', { name: buyer.name })}
            error={offer.isTried && isWrong ? t('deal.amountWrong') : undefined}
          >
            {(control) => (
              <Affix before="RM">
                <Input
                  {...control}
                  inputMode="decimal"
                  autoComplete="off"
                  value={offer.amount}
                  onChange={(event) => offer.setAmount(event.target.value)}
                />
              </Affix>
            )}
          </Field>
        )}
        <Said role="status">
          {buyNow.price !== null && t('deal.buyNowFor', { amount: formatRinggit(buyNow.price) })}
          {buyNow.refusal}
        </Said>
        <DialogActions>
          <Button tone="plain" disabled={isBusy} onClick={onClose}>
            {t('messages.cancel')}
          </Button>
          <Button
            type="submit"
            disabled={!product || !buyNow.isOffered}
            busy={isBusy}
            busyLabel={t('messages.sending')}
          >
            {t('deal.createSubmit')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

function Picker({
  list: { products, error, reload },
  search,
  chosenId,
  onChoose,
}: {
  list: ReturnType<typeof useOfferedProducts>
  search: string
  chosenId: number | null
  onChoose: (product: OwnProduct) => void
}) {
  const { t } = useTranslation()
  const name = useId()
  if (error !== undefined) {
    return (
      <LoadFailure heading="h3" onRetry={reload}>
        {shownMessage(error)}
      </LoadFailure>
    )
  }
  if (products === undefined) {
    return (
      <Waiting role="status" aria-label={t('shell.loading')}>
        {[0, 1, 2].map((place) => (
          <Skeleton key={place} $height={space(16)} />
        ))}
      </Waiting>
    )
  }
  if (products.length === 0) {
    return (
      <EmptyState
        heading="h3"
        title={t(search.trim() ? 'deal.noMatch' : 'deal.nothing')}
        {...(!search.trim() && {
          action: (
            <ButtonLink tone="secondary" to={paths.sellerDashboard()}>
              {t('menu.sellerDashboard')}
            </ButtonLink>
          ),
        })}
      >
        {t(search.trim() ? 'deal.noMatchText' : 'deal.nothingText')}
      </EmptyState>
    )
  }
  return (
    <Fieldset>
      <Legend>{t('deal.which')}</Legend>
      {/* It scrolls, and the radios in it can be reached by keyboard. */}
      <Scroll>
        {products.map((product) => (
          <Radio
            key={product.id}
            name={name}
            checked={product.id === chosenId}
            onChange={() => onChoose(product)}
            label={<Offered product={product} />}
          />
        ))}
      </Scroll>
    </Fieldset>
  )
}

function Offered({ product }: { product: OwnProduct }) {
  const { t } = useTranslation()
  const { kind, price } = termsOf(product)
  return (
    <Bottle>
      <Thumb>
        <Picture {...picturesOf(product)[0]} alt="" sizes="44px" />
      </Thumb>
      <span>
        {product.name}
        <Terms>
          {t(`deal.kinds.${kind}`)}
          {price !== null && ` · ${formatRinggit(price)}`}
        </Terms>
      </span>
    </Bottle>
  )
}

/** The bottle that is chosen of a list, and where it may be agreed on, for how much. */
function useOffered({ products, about }: ReturnType<typeof useOfferedProducts>) {
  const [chosen, setChosen] = useState<OwnProduct | null>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const [isTried, setTried] = useState(false)
  // What the conversation is about is most likely what the other one wants. What a search hides is not offered unseen.
  const preferred = chosen ?? about
  const product = products?.some(({ id }) => id === preferred?.id) ? preferred : null
  const terms = product && termsOf(product)
  const isNegotiable = terms?.isNegotiable === true
  const amount = typed ?? terms?.price?.toFixed(2) ?? ''
  const agreed = isNegotiable ? amountFrom(amount) : null
  return {
    product,
    buyNow: useBuyNow(product),
    isNegotiable,
    /** As the field shows it. */
    amount,
    agreed,
    isWrong: isNegotiable && agreed === null,
    isTried,
    setAmount: setTyped,
    markTried: () => setTried(true),
    choose(next: OwnProduct) {
      setChosen(next)
      setTyped(null)
      setTried(false)
    },
  }
}

/** What an auction may be bought for at once, as its own service says now; a list does not know it. */
function useBuyNow(product: OwnProduct | null) {
  const { t } = useTranslation()
  const auctionId = product && termsOf(product).kind === 'buyNow' ? product.auction?.id : undefined
  const params = auctionId === undefined ? null : { params: { auctionId } }
  const { data: auction, error } = useApi(auctionRoutes.getAuction, params, { revalidateOnMount: true })
  const none = { price: null, refusal: null }
  if (params === null) return { ...none, isOffered: true }
  if (!auction) return { ...none, isOffered: false, refusal: error ? shownMessage(error) : null }
  if (auction.bidCount > 0) return { ...none, isOffered: false, refusal: t('deal.bidOn') }
  if (auction.buyNowPrice === null) return { ...none, isOffered: false, refusal: t('deal.noBuyNow') }
  return { price: auction.buyNowPrice, refusal: null, isOffered: true }
}

/** An amount above nothing with at most two decimals; `null` for what is none. */
function amountFrom(words: string): number | null {
  const number = words.trim() === '' ? Number.NaN : Number(words)
  return (senFromRinggit(number) ?? 0) > 0 ? number : null
}

/** Ids of offers, one for each that is made here. */
function useOfferIds(): (offer: string) => string {
  const ids = useRef(new Map<string, string>())
  return (offer) => {
    const id = ids.current.get(offer) ?? crypto.randomUUID()
    ids.current.set(offer, id)
    return id
  }
}

const Form = styled.form`
  display: grid;
  gap: ${space(5)};
  margin-top: ${space(5)};
`

/** Takes no room until there is something to say. */
const Said = styled.p`
  &:empty { position: absolute; }
`

const Waiting = styled.div`
  display: grid;
  gap: ${space(2)};
`

const Scroll = styled.div`
  display: grid;
  gap: ${space(2)};
  max-height: ${space(64)};
  padding: ${space(2)};
  border: 1px solid ${color.line};
  border-radius: ${radius.small};
  overflow-y: auto;
`

const Bottle = styled.span`
  display: grid;
  grid-template-columns: ${space(11)} minmax(0, 1fr);
  gap: ${space(3)};
  align-items: center;
`

const Thumb = styled.span`
  display: block;
  overflow: hidden;
  border-radius: ${radius.small};
`

const Terms = styled.span`
  display: block;
  color: ${color.muted};
  font-size: ${text.small};
  font-variant-numeric: tabular-nums;
`
