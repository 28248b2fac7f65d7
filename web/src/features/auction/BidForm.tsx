import { formatRinggit } from '@wangian/contracts/money.ts'
import { Check } from 'lucide-react'
import { useRef, useState } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, motion, phone, radius, space, text, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { fieldText, isHighest, parseAmount, useBidField } from './bid-amount.ts'
import { usePlaceBid } from './use-place-bid.ts'

/** There is one on a page. */
export const bidFieldId = 'bid-amount'

const stepCounts = [1, 2, 5] as const

/** The bid field with one-tap steps. Amounts are in ringgit. Nothing is bid that the field did not show when the button went down. */
export function BidForm({
  auctionId,
  sellerId,
  minimum,
  increment,
  leadsWith,
}: {
  auctionId: number
  sellerId: number
  minimum: number
  increment: number
  /** The highest bid when it is this person's, who is asked before raising it. */
  leadsWith: number | null
}) {
  const { t } = useTranslation()
  const field = useBidField(minimum, increment)
  const { place, isPlacing } = usePlaceBid({ auctionId, sellerId, minimum })
  const [accepted, setAccepted] = useState<number | null>(null)
  const [isHeld, setHeld] = useState(false)
  const [raise, setRaise] = useState<{ lead: number; typed: string } | null>(null)
  // It was asked of a bid that led: after another one it is no longer the question.
  if (raise !== null && raise.lead !== leadsWith) setRaise(null)
  const pressed = useRef<string | null>(null)

  const bid = async (typed: string) => {
    setRaise(null)
    setAccepted(null)
    if (!(await place(typed))) return
    field.settle()
    setAccepted(Number(typed))
  }

  const submit = () => {
    const seen = pressed.current ?? field.text
    pressed.current = null
    if (field.isSettling) return
    const isNew = seen !== field.text || field.hasJustMoved()
    setHeld(isNew)
    if (isNew) return
    const amount = parseAmount(seen)
    if (leadsWith !== null && amount !== null && amount >= minimum) setRaise({ lead: leadsWith, typed: seen })
    else void bid(seen)
  }

  return (
    <Form
      // The refusals are the product's own, as toasts, and not the browser's bubbles.
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Field
        id={bidFieldId}
        label={t('bid.label', { amount: formatRinggit(minimum) })}
        help={
          field.isOvertaken ? (
            <Overtaken>
              {t('bid.overtaken', { amount: formatRinggit(minimum) })}{' '}
              <UseMinimum type="button" onClick={field.reset}>
                {t('bid.useMinimum', { amount: formatRinggit(minimum) })}
              </UseMinimum>
            </Overtaken>
          ) : (
            isHeld && <Overtaken role="status">{t('bid.held', { amount: formatRinggit(minimum) })}</Overtaken>
          )
        }
      >
        {(control) => (
          <Entry>
            <Amount
              {...control}
              type="number"
              inputMode="decimal"
              step="0.01"
              min={fieldText(minimum)}
              autoComplete="off"
              value={field.text}
              onChange={(event) => {
                setHeld(false)
                field.type(event.target.value)
              }}
            />
            <Button
              type="submit"
              busy={isPlacing}
              busyLabel={t('bid.placing')}
              onPointerDown={() => {
                pressed.current = field.text
              }}
              onPointerLeave={() => {
                pressed.current = null
              }}
            >
              {t('bid.place')}
            </Button>
          </Entry>
        )}
      </Field>
      <Steps role="group" aria-label={t('bid.steps')}>
        {stepCounts.map((count) => (
          <Step
            key={count}
            type="button"
            aria-label={t('bid.stepLabel', { amount: formatRinggit(count * increment) })}
            onClick={() => field.step(count)}
          >
            {t('bid.step', { amount: formatRinggit(count * increment) })}
          </Step>
        ))}
      </Steps>
      {accepted !== null && isHighest(accepted, minimum, increment) && (
        <Accepted>
          <Check size={16} strokeWidth={1.5} aria-hidden />
          {t('bid.accepted', { amount: formatRinggit(accepted) })}
        </Accepted>
      )}
      {raise !== null && (
        <Confirm
          tone="primary"
          title={t('bid.raiseTitle')}
          words={t('bid.raiseText', { lead: formatRinggit(raise.lead), amount: formatRinggit(Number(raise.typed)) })}
          confirmLabel={t('bid.raiseTo', { amount: formatRinggit(Number(raise.typed)) })}
          cancelLabel={t('bid.raiseKeep')}
          onConfirm={() => void bid(raise.typed)}
          onCancel={() => setRaise(null)}
        />
      )}
    </Form>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(3)};
  ${phone} { gap: ${space(2)}; }
`

const Entry = styled.div`
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: ${space(2)};
`

const Amount = styled(Input)`
  font-size: ${text.lead};
  font-weight: ${weight.strong};
`

/** In one row where there is room for them. */
const Steps = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
`

const Step = styled.button`
  flex: 1;
  min-height: ${space(10)};
  padding: 0 ${space(2)};
  border: 1px solid ${color.line};
  border-radius: ${radius.small};
  background: ${color.surface};
  font-size: ${text.body};
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
  transition: border-color ${motion.quick};
  &:hover { border-color: ${color.ink}; }
`

const Overtaken = styled.span`
  color: ${color.live};
  font-weight: ${weight.strong};
`

const UseMinimum = styled.button`
  padding: 0;
  border: 0;
  background: none;
  font-weight: ${weight.strong};
  text-decoration: underline;
  text-underline-offset: 0.2em;
`

const Accepted = styled.p`
  display: flex;
  gap: ${space(2)};
  align-items: center;
  color: ${color.ok};
  font-size: ${text.small};
  font-weight: ${weight.strong};
`
