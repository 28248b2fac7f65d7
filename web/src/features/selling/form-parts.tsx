import { BoxCondition, categories } from '@wangian/contracts/catalogue.ts'
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import { formatFullMoment } from '../../lib/dates.ts'
import { malaysianYear } from '../../lib/malaysian-moment.ts'
import { color, space } from '../../theme/theme.ts'
import { Radio, RadioGroup } from '../../ui/Choices.tsx'
import { Field, Input, Select, TextArea } from '../../ui/Field.tsx'
import { FillGauge } from '../../ui/FillGauge.tsx'
import { FormPart } from '../../ui/FormPart.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { additionMax } from './listing-rules.ts'
import { MomentField } from './MomentField.tsx'
import { PicturesField } from './PicturesField.tsx'
import type { ListingPicture } from './pictures.ts'
import type { ListingFormReturn, Subject } from './use-listing-form.ts'

interface PartProps {
  readonly form: ListingFormReturn
  readonly subject: Subject
}

const decimal = { type: 'number', inputMode: 'decimal', step: '0.01' } as const
const whole = { type: 'number', inputMode: 'numeric', step: '1' } as const

export function PicturesPart({
  form,
  subject,
  pictures,
  onPictures,
}: PartProps & { pictures: readonly ListingPicture[]; onPictures: (pictures: readonly ListingPicture[]) => void }) {
  const { t } = useTranslation()
  const { errors } = form.formState
  return (
    <FormPart title={t('sell.pictures.title')} intro={t('sell.pictures.intro')}>
      <PicturesField pictures={pictures} isLocked={subject.isFrozen} onChange={onPictures} />
      <Field label={t('sell.imageUrl')} help={t('sell.imageHelp')} error={errors.imageUrl?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register('imageUrl')}
            type="url"
            inputMode="url"
            maxLength={2048}
            disabled={subject.isFrozen}
          />
        )}
      </Field>
    </FormPart>
  )
}

export function PerfumePart({ form, subject }: PartProps) {
  const { t } = useTranslation()
  const { register, formState } = form
  const { errors } = formState
  return (
    <FormPart title={t('sell.perfume')}>
      <Fields disabled={subject.isFrozen}>
        <Field label={t('sell.name')} error={errors.name?.message}>
          {(control) => (
            <Input {...control} {...register('name')} maxLength={120} placeholder={t('sell.namePlaceholder')} />
          )}
        </Field>
        <Field label={t('sell.brand')} error={errors.brand?.message}>
          {(control) => (
            <Input {...control} {...register('brand')} maxLength={80} placeholder={t('sell.brandPlaceholder')} />
          )}
        </Field>
        <Field label={t('sell.category')} error={errors.categoryId?.message}>
          {(control) => (
            <Select {...control} {...register('categoryId')} defaultValue={form.getValues('categoryId')}>
              <option value="">{t('sell.chooseCategory')}</option>
              {categories.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={t('sell.description')} help={t('sell.descriptionHelp')} error={errors.description?.message}>
          {(control) => <TextArea {...control} {...register('description')} rows={6} maxLength={5000} />}
        </Field>
      </Fields>
      {subject.isFrozen && (
        <Field label={t('sell.addition')} help={t('sell.additionHelp')} error={errors.addition?.message}>
          {(control) => (
            <TextArea
              {...control}
              {...register('addition')}
              rows={3}
              maxLength={additionMax(subject.values.description)}
            />
          )}
        </Field>
      )}
    </FormPart>
  )
}

export function ConditionPart({ form, subject }: PartProps) {
  const { t } = useTranslation()
  const { register, formState, control: formControl } = form
  const { errors } = formState
  const remaining = Number(useWatch({ control: formControl, name: 'remainingPercentage' })) || 0
  return (
    <FormPart title={t('sell.condition')} intro={t('sell.conditionIntro')}>
      <Fields disabled={subject.isFrozen}>
        <Field label={t('sell.volume')} error={errors.volume?.message}>
          {(control) => <Short {...control} {...register('volume')} {...whole} min={1} max={10_000} />}
        </Field>
        <Field label={t('sell.remaining')} error={errors.remainingPercentage?.message}>
          {(control) => (
            <Gauged>
              <Short {...control} {...register('remainingPercentage')} {...whole} min={1} max={100} />
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
            <Short {...control} {...register('purchaseYear')} {...whole} min={1970} max={malaysianYear(Date.now())} />
          )}
        </Field>
        <Field label={t('sell.batchCode')} help={t('sell.batchHelp')} error={errors.batchCode?.message}>
          {(control) => <Input {...control} {...register('batchCode')} maxLength={60} autoComplete="off" />}
        </Field>
      </Fields>
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
  if (!subject.hasTerms && !subject.isFrozen) return <FormPart title={t('sell.sale')}>{stock}</FormPart>
  return (
    <>
      <FormPart title={t('sell.terms')} intro={t('sell.termsIntro')}>
        <Fields disabled={subject.isFrozen}>
          <Field label={t('sell.startingPrice')} help={t('sell.startingHelp')} error={errors.startingPrice?.message}>
            {(control) => <Short {...control} {...register('startingPrice')} {...decimal} min="0.01" />}
          </Field>
          <Field label={t('sell.bidIncrement')} error={errors.bidIncrement?.message}>
            {(control) => <Short {...control} {...register('bidIncrement')} {...decimal} min="0.1" />}
          </Field>
          <Field label={t('sell.reservePrice')} help={t('sell.reserveHelp')} error={errors.reservePrice?.message}>
            {(control) => <Short {...control} {...register('reservePrice')} {...decimal} min="0" />}
          </Field>
          <Field label={t('sell.buyNowPrice')} help={t('sell.buyNowHelp')} error={errors.buyNowPrice?.message}>
            {(control) => <Short {...control} {...register('buyNowPrice')} {...decimal} min="0" />}
          </Field>
          {stock}
        </Fields>
      </FormPart>
      <FormPart title={t('sell.times')}>
        <Fields disabled={subject.isFrozen}>
          <StartFields form={form} subject={subject} />
          <MomentField
            form={form}
            name="end"
            legend={t('sell.endsAt')}
            note={isRelisting && subject.hadExpired && <Notice>{t('sell.endsExpired')}</Notice>}
          />
        </Fields>
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

/** Fields that can be locked together. */
const Fields = styled.fieldset`
  display: grid;
  gap: ${space(5)};
  min-width: 0;
  margin: 0;
  padding: 0;
  border: 0;
  &:disabled :is(input, select, textarea) { border-color: ${color.line}; background: ${color.ground}; cursor: default; }
`

/** As wide as what is typed. */
const Short = styled(Input)`
  max-width: ${space(48)};
`

const Gauged = styled.div`
  display: flex;
  gap: ${space(5)};
  align-items: center;
`
