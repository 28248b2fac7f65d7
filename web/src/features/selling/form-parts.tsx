import { BoxCondition } from '@wangian/contracts/catalogue.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { styled } from 'styled-components'
import { categoryFrom, categoryIds, categoryKeys } from '../../cards/category-names.ts'
import { formatFullMoment } from '../../lib/dates.ts'
import { daysAhead, instantOf, malaysianYear } from '../../lib/malaysian-moment.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, phone, space, weight } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Radio, RadioGroup } from '../../ui/Choices.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Field, Select, TextArea } from '../../ui/Field.tsx'
import { FillGauge } from '../../ui/FillGauge.tsx'
import { FormPart } from '../../ui/FormPart.tsx'
import { Input } from '../../ui/Input.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { additionMax } from './listing-rules.ts'
import { MomentField } from './MomentField.tsx'
import { PicturesField } from './PicturesField.tsx'
import type { ListingPicture } from './pictures.ts'
import { suggestedIncrement } from './suggested-increment.ts'
import type { ListingFormReturn, Subject } from './use-listing-form.ts'

interface PartProps {
  readonly form: ListingFormReturn
  readonly subject: Subject
}

/** How long an auction usually runs. */
const quickDays = [3, 7, 10] as const

const decimal = { type: 'number', inputMode: 'decimal', step: '0.01' } as const
const whole = { type: 'number', inputMode: 'numeric', step: '1' } as const

/** Pictures, and folded away the address of one elsewhere. */
export function PicturesPart({
  form,
  subject,
  pictures,
  onPictures,
}: PartProps & { pictures: readonly ListingPicture[]; onPictures: (pictures: readonly ListingPicture[]) => void }) {
  const { t } = useTranslation()
  const { errors, submitCount } = form.formState
  const error = errors.imageUrl?.message
  // Nothing gets the focus while it is folded away, as it was when the form tried.
  useEffect(() => {
    if (submitCount > 0 && form.getFieldState('imageUrl').error) form.setFocus('imageUrl')
  }, [form, submitCount])
  return (
    <FormPart title={t('sell.pictures.title')} intro={t('sell.pictures.intro')}>
      <PicturesField pictures={pictures} isLocked={false} onChange={onPictures} />
      <details open={error !== undefined || subject.values.imageUrl !== '' || undefined}>
        <Summary>{t('sell.imageElsewhere')}</Summary>
        <Field label={t('sell.imageUrl')} help={t('sell.imageHelp')} error={error}>
          {(control) => (
            <Input {...control} {...form.register('imageUrl')} type="url" inputMode="url" maxLength={2048} />
          )}
        </Field>
      </details>
    </FormPart>
  )
}

export function PerfumePart({ form }: PartProps) {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const { register, formState } = form
  const { errors } = formState
  return (
    <FormPart title={t('sell.perfume')}>
      <Field label={t('sell.name')} error={wordsOf(errors.name)}>
        {(control) => (
          <Input {...control} {...register('name')} maxLength={120} placeholder={t('sell.namePlaceholder')} />
        )}
      </Field>
      <Field label={t('sell.brand')} error={wordsOf(errors.brand)}>
        {(control) => (
          <Input {...control} {...register('brand')} maxLength={80} placeholder={t('sell.brandPlaceholder')} />
        )}
      </Field>
      <Field label={t('sell.category')} error={errors.categoryId?.message}>
        {(control) => (
          <Select {...control} {...register('categoryId')} defaultValue={form.getValues('categoryId')}>
            <option value="">{t('sell.chooseCategory')}</option>
            {categoryIds.map((id) => (
              <option key={id} value={id}>
                {t(categoryKeys[id])}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('sell.description')} help={t('sell.descriptionHelp')} error={wordsOf(errors.description)}>
        {(control) => <TextArea {...control} {...register('description')} rows={6} maxLength={5000} />}
      </Field>
    </FormPart>
  )
}

export function ConditionPart({ form }: PartProps) {
  const { t } = useTranslation()
  const { register, formState, control: formControl } = form
  const { errors } = formState
  const remaining = Number(useWatch({ control: formControl, name: 'remainingPercentage' })) || 0
  return (
    <FormPart title={t('sell.condition')} intro={t('sell.conditionIntro')}>
      <Field label={t('sell.volume')} error={errors.volume?.message}>
        {(control) => <Short {...control} {...register('volume')} {...whole} min={1} max={10_000} />}
      </Field>
      <Field label={t('sell.remaining')} error={errors.remainingPercentage?.message}>
        {(control) => (
          <Gauged>
            <Short {...control} {...register('remainingPercentage')} {...whole} min={1} max={100} />
            <Level
              type="range"
              min={1}
              max={100}
              aria-label={t('sell.level')}
              value={remaining}
              onChange={({ target }) =>
                form.setValue('remainingPercentage', target.value, {
                  shouldDirty: true,
                  shouldValidate: formState.isSubmitted,
                })
              }
            />
            <FillGauge size="large" percentage={remaining} label={t('card.fillLong', { percentage: remaining })} />
          </Gauged>
        )}
      </Field>
      <Field label={t('sell.boxCondition')} error={errors.boxCondition?.message}>
        {(control) => (
          <Select {...control} {...register('boxCondition')} defaultValue={form.getValues('boxCondition')}>
            {BoxCondition.options.map((box) => (
              <option key={box} value={box}>
                {t(`sell.boxes.${box}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('sell.purchaseYear')} help={t('sell.optional')} error={errors.purchaseYear?.message}>
        {(control) => (
          <Short {...control} {...register('purchaseYear')} {...whole} min={1970} max={malaysianYear(serverNow())} />
        )}
      </Field>
      <Field label={t('sell.batchCode')} help={t('sell.batchHelp')} error={errors.batchCode?.message}>
        {(control) => <Input {...control} {...register('batchCode')} maxLength={60} autoComplete="off" />}
      </Field>
    </FormPart>
  )
}

export function SalePart({ form }: PartProps) {
  const { t } = useTranslation()
  const { register, formState } = form
  const { errors } = formState
  return (
    <FormPart title={t('sell.sale')}>
      <RadioGroup legend={t('sell.listingType')}>
        {(['fixed', 'negotiable'] as const).map((type) => (
          <Radio
            key={type}
            {...register('listingType')}
            value={type}
            label={t(`sell.listingTypes.${type}`)}
            help={t(`sell.listingTypeHelp.${type}`)}
          />
        ))}
      </RadioGroup>
      <Field label={t('sell.price')} error={errors.price?.message}>
        {(control) => <Short {...control} {...register('price')} {...decimal} min="0.01" />}
      </Field>
      <Field label={t('sell.stock')} error={errors.stockQuantity?.message}>
        {(control) => <Short {...control} {...register('stockQuantity')} {...whole} min={0} />}
      </Field>
    </FormPart>
  )
}

export function TermsPart({ form, subject, isRelisting }: PartProps & { isRelisting: boolean }) {
  const { t } = useTranslation()
  const { register, formState } = form
  const { errors } = formState
  const stock = (
    <Field label={t('sell.stock')} error={errors.stockQuantity?.message}>
      {(control) => <Short {...control} {...register('stockQuantity')} {...whole} min={1} />}
    </Field>
  )
  // The terms of an auction that is over are history; how many bottles there are is not.
  if (!subject.hasTerms) return <FormPart title={t('sell.sale')}>{stock}</FormPart>
  return (
    <>
      <FormPart title={t('sell.terms')} intro={t('sell.termsIntro')}>
        <Field label={t('sell.startingPrice')} help={t('sell.startingHelp')} error={errors.startingPrice?.message}>
          {(control) => <Short {...control} {...register('startingPrice')} {...decimal} min="0.01" />}
        </Field>
        <Field
          label={t('sell.bidIncrement')}
          help={<SuggestedIncrement form={form} />}
          error={errors.bidIncrement?.message}
        >
          {(control) => <Short {...control} {...register('bidIncrement')} {...decimal} min="0.1" />}
        </Field>
        <Field label={t('sell.reservePrice')} help={t('sell.reserveHelp')} error={errors.reservePrice?.message}>
          {(control) => <Short {...control} {...register('reservePrice')} {...decimal} min="0" />}
        </Field>
        <Field label={t('sell.buyNowPrice')} help={t('sell.buyNowHelp')} error={errors.buyNowPrice?.message}>
          {(control) => <Short {...control} {...register('buyNowPrice')} {...decimal} min="0" />}
        </Field>
        {stock}
      </FormPart>
      <FormPart title={t('sell.times')}>
        <StartFields form={form} subject={subject} />
        <MomentField
          form={form}
          name="end"
          legend={t('sell.endsAt')}
          quick={<QuickEnds form={form} />}
          note={isRelisting && subject.hadExpired && <Notice>{t('sell.endsExpired')}</Notice>}
        />
      </FormPart>
    </>
  )
}

/** An auction starts when it is listed, or later; once it has started there is nothing to choose. */
function StartFields({ form, subject }: PartProps) {
  const { t } = useTranslation()
  const starts = useWatch({ control: form.control, name: 'starts' })
  if (subject.startedAt) return <p>{t('sell.startedAt', { moment: formatFullMoment(subject.startedAt) })}</p>
  return (
    <>
      <RadioGroup legend={t('sell.starts')}>
        <Radio {...form.register('starts')} value="now" label={t('sell.startsNow')} />
        <Radio {...form.register('starts')} value="later" label={t('sell.startsLater')} />
      </RadioGroup>
      {starts === 'later' && <MomentField form={form} name="start" legend={t('sell.startsAt')} />}
    </>
  )
}

/** One press for the usual lengths, counted from when it starts. */
function QuickEnds({ form }: { form: ListingFormReturn }) {
  const { t } = useTranslation()
  const endAfter = (days: number) => {
    const { starts, start } = form.getValues()
    const fromMs = (starts === 'later' ? instantOf(start) : null) ?? serverNow()
    form.setValue('end', daysAhead(fromMs, days), { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
  }
  return (
    <Chips role="group" aria-label={t('sell.quickEnds')}>
      {quickDays.map((days) => (
        <Button key={days} type="button" tone="secondary" size="small" onClick={() => endAfter(days)}>
          {t('sell.days', { count: days })}
        </Button>
      ))}
    </Chips>
  )
}

/** What goes well with the starting price, to be taken by a press; nothing where that is what the field says. */
function SuggestedIncrement({ form }: { form: ListingFormReturn }) {
  const { t } = useTranslation()
  const [startingPrice, bidIncrement] = useWatch({ control: form.control, name: ['startingPrice', 'bidIncrement'] })
  const increment = suggestedIncrement(Number(startingPrice))
  if (increment === null || Number(bidIncrement) === increment) return null
  return (
    <>
      {t('sell.suggested', { amount: formatRinggit(increment) })}{' '}
      <Take
        type="button"
        onClick={() =>
          form.setValue('bidIncrement', increment.toFixed(2), {
            shouldDirty: true,
            shouldValidate: form.formState.isSubmitted,
          })
        }
      >
        {t('sell.takeSuggested')}
      </Take>
    </>
  )
}

/** A listing with bids: what stands, and the one thing that can still be said. */
export function FrozenParts({ form, subject, pictures }: PartProps & { pictures: readonly ListingPicture[] }) {
  const { t } = useTranslation()
  const { values } = subject
  const category = categoryFrom(values.categoryId)
  const box = BoxCondition.options.find((each) => each === values.boxCondition)
  const endMs = instantOf(values.end)
  const amount = (text: string) => formatRinggit(Number(text))
  return (
    <>
      <FormPart title={t('sell.perfume')}>
        <Field label={t('sell.addition')} help={t('sell.additionHelp')} error={form.formState.errors.addition?.message}>
          {(control) => (
            <TextArea
              {...control}
              {...form.register('addition')}
              rows={3}
              maxLength={additionMax(values.description)}
            />
          )}
        </Field>
      </FormPart>
      <FormPart title={t('sell.stands')} intro={t('sell.standsIntro')}>
        <PicturesField pictures={pictures} isLocked onChange={() => {}} />
        <Facts
          facts={[
            { label: t('sell.name'), value: values.name },
            { label: t('sell.brand'), value: values.brand },
            ...(category ? [{ label: t('sell.category'), value: t(categoryKeys[category]) }] : []),
            { label: t('sell.description'), value: <Kept>{values.description}</Kept> },
            { label: t('sell.volume'), value: values.volume },
            { label: t('sell.remaining'), value: values.remainingPercentage },
            ...(box ? [{ label: t('sell.boxCondition'), value: t(`sell.boxes.${box}`) }] : []),
            ...(values.purchaseYear ? [{ label: t('sell.purchaseYear'), value: values.purchaseYear }] : []),
            ...(values.batchCode ? [{ label: t('sell.batchCode'), value: values.batchCode }] : []),
            { label: t('sell.startingPrice'), value: amount(values.startingPrice) },
            { label: t('sell.bidIncrement'), value: amount(values.bidIncrement) },
            ...(values.reservePrice ? [{ label: t('sell.reservePrice'), value: amount(values.reservePrice) }] : []),
            ...(values.buyNowPrice ? [{ label: t('sell.buyNowPrice'), value: amount(values.buyNowPrice) }] : []),
            ...(endMs === null
              ? []
              : [{ label: t('sell.endsAt'), value: formatFullMoment(new Date(endMs).toISOString()) }]),
          ]}
        />
      </FormPart>
    </>
  )
}

/** As wide as what is typed. */
const Short = styled(Input)`
  max-width: ${space(48)};
`

const Gauged = styled.div`
  display: flex;
  gap: ${space(5)};
  ${phone} { flex-wrap: wrap; gap: 0 ${space(5)}; }
  align-items: center;
`

const Level = styled.input`
  flex: 1;
  min-width: ${space(16)};
  max-width: ${space(60)};
  min-height: ${space(11)};
  accent-color: ${color.accent};
  ${phone} { flex-basis: 100%; order: 1; max-width: none; }
`

const Chips = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  margin-bottom: ${space(3)};
`

const Take = styled.button`
  padding: 0;
  border: 0;
  background: none;
  color: ${color.ink};
  font-weight: ${weight.strong};
  text-decoration: underline;
  text-underline-offset: 0.2em;
`

const Kept = styled.span`
  white-space: pre-line;
`

const Summary = styled.summary`
  min-height: ${space(11)};
  padding: ${space(3)} 0;
  color: ${color.muted};
  cursor: pointer;
`
