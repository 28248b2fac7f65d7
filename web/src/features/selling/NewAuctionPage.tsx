import { zodResolver } from '@hookform/resolvers/zod'
import { BoxCondition, categories } from '@wangian/contracts/catalogue.ts'
import { type ReactNode, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { useFieldError } from '../../lib/use-field-error.ts'
import { paths } from '../../paths.ts'
import { color, from, space, text } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, Input, Select, TextArea } from '../../ui/Field.tsx'
import { FillGauge } from '../../ui/FillGauge.tsx'
import { Page, PageIntro, PageTitle } from '../../ui/Page.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { useCreateAuction } from './api.ts'
import { type AuctionListing, auctionListingForm, defaultEnd, latestEnd, malaysianFieldTime } from './listing-form.ts'
import { PicturesField } from './PicturesField.tsx'

const schema = auctionListingForm(Date.now)

/** A perfume and the terms of its auction. */
export default function NewAuctionPage() {
  const { t } = useTranslation()
  const wordsOf = useFieldError()
  const navigate = useNavigate()
  const createAuction = useCreateAuction()
  const [openedAtMs] = useState(Date.now)
  const [pictures, setPictures] = useState<readonly File[]>([])
  const { register, handleSubmit, formState, watch } = useForm({
    resolver: zodResolver(schema),
    defaultValues: {
      name: '',
      brand: '',
      description: '',
      categoryId: '',
      volume: '100',
      remainingPercentage: '100',
      purchaseYear: '',
      boxCondition: 'Good',
      batchCode: '',
      imageUrl: '',
      startingPrice: '',
      bidIncrement: '0.10',
      reservePrice: '',
      buyNowPrice: '',
      stockQuantity: '1',
      endsAt: defaultEnd(openedAtMs),
    },
  })
  const { errors, isSubmitting } = formState
  const remaining = Number(watch('remainingPercentage')) || 0

  const submit = async (listing: AuctionListing) => {
    try {
      const { auctionId, failedPictures } = await createAuction(listing, pictures)
      const [failure] = failedPictures
      if (failure) {
        const { step, number, error } = failure
        const what = step === 'register' ? t('sell.registerFailed', { number }) : t('sell.uploadFailed', { number })
        showToast({
          title: t('sell.imagesFailed'),
          description: `${what}. ${shownMessage(error)}`,
          tone: 'destructive',
        })
      } else {
        showToast({ title: t('sell.created'), description: t('sell.createdText', { name: listing.name }) })
      }
      void navigate(paths.auction(auctionId))
    } catch (error) {
      showToast({ title: t('sell.failed'), description: shownMessage(error), tone: 'destructive' })
    }
  }

  const number = { type: 'number', inputMode: 'decimal' } as const
  return (
    <Page>
      <title>{`${t('sell.pageTitle')} · ${t('shell.brand')}`}</title>
      <PageTitle>{t('sell.title')}</PageTitle>
      <PageIntro>{t('sell.intro')}</PageIntro>
      <Form noValidate onSubmit={(event) => void handleSubmit(submit)(event)}>
        <Part title={t('sell.perfume')}>
          <Field label={t('sell.name')} error={wordsOf(errors.name)}>
            {(control) => <Input {...control} {...register('name')} placeholder={t('sell.namePlaceholder')} />}
          </Field>
          <Pair>
            <Field label={t('sell.brand')} error={wordsOf(errors.brand)}>
              {(control) => <Input {...control} {...register('brand')} placeholder={t('sell.brandPlaceholder')} />}
            </Field>
            <Field label={t('sell.category')} error={wordsOf(errors.categoryId)}>
              {(control) => (
                <Select {...control} {...register('categoryId')}>
                  <option value="">{t('sell.chooseCategory')}</option>
                  {categories.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </Pair>
          <Field label={t('sell.description')} help={t('sell.descriptionHelp')} error={wordsOf(errors.description)}>
            {(control) => <TextArea {...control} {...register('description')} rows={5} />}
          </Field>
          <PicturesField files={pictures} onChange={setPictures} />
          <Field label={t('sell.imageUrl')} help={t('sell.imageHelp')} error={wordsOf(errors.imageUrl)}>
            {(control) => <Input {...control} {...register('imageUrl')} type="url" inputMode="url" />}
          </Field>
        </Part>

        <Part title={t('sell.condition')}>
          <Pair>
            <Field
              label={t('sell.remaining')}
              error={wordsOf(errors.remainingPercentage)}
              help={<FillGauge percentage={remaining} label={t('card.fillLong', { percentage: remaining })} />}
            >
              {(control) => <Input {...control} {...register('remainingPercentage')} {...number} min={1} max={100} />}
            </Field>
            <Field label={t('sell.volume')} error={wordsOf(errors.volume)}>
              {(control) => <Input {...control} {...register('volume')} {...number} min={1} />}
            </Field>
          </Pair>
          <Pair>
            <Field label={t('sell.boxCondition')} error={wordsOf(errors.boxCondition)}>
              {(control) => (
                <Select {...control} {...register('boxCondition')}>
                  {BoxCondition.options.map((box) => (
                    <option key={box} value={box}>
                      {t(`sell.boxes.${box}`)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            <Field
              label={t('sell.purchaseYear')}
              help={t('sell.optional')}
              error={errors.purchaseYear && t('sell.rules.year', { year: new Date(openedAtMs).getFullYear() })}
            >
              {(control) => <Input {...control} {...register('purchaseYear')} {...number} />}
            </Field>
          </Pair>
          <Field label={t('sell.batchCode')} help={t('sell.batchHelp')} error={wordsOf(errors.batchCode)}>
            {(control) => <Input {...control} {...register('batchCode')} />}
          </Field>
        </Part>

        <Part title={t('sell.terms')}>
          <Pair>
            <Field label={t('sell.startingPrice')} error={wordsOf(errors.startingPrice)}>
              {(control) => <Input {...control} {...register('startingPrice')} {...number} step="0.01" min="0.01" />}
            </Field>
            <Field label={t('sell.bidIncrement')} error={wordsOf(errors.bidIncrement)}>
              {(control) => <Input {...control} {...register('bidIncrement')} {...number} step="0.01" min="0.1" />}
            </Field>
            <Field label={t('sell.reservePrice')} help={t('sell.reserveHelp')} error={wordsOf(errors.reservePrice)}>
              {(control) => <Input {...control} {...register('reservePrice')} {...number} step="0.01" min="0" />}
            </Field>
            <Field label={t('sell.buyNowPrice')} help={t('sell.buyNowHelp')} error={wordsOf(errors.buyNowPrice)}>
              {(control) => <Input {...control} {...register('buyNowPrice')} {...number} step="0.01" min="0" />}
            </Field>
            <Field label={t('sell.endsAt')} help={t('sell.endsAtHelp')} error={wordsOf(errors.endsAt)}>
              {(control) => (
                <Input
                  {...control}
                  {...register('endsAt')}
                  type="datetime-local"
                  step={1}
                  min={malaysianFieldTime(openedAtMs)}
                  max={latestEnd(openedAtMs)}
                />
              )}
            </Field>
            <Field label={t('sell.stock')} error={wordsOf(errors.stockQuantity)}>
              {(control) => <Input {...control} {...register('stockQuantity')} {...number} min={1} />}
            </Field>
          </Pair>
        </Part>
        <End>
          <Button type="submit" busy={isSubmitting} busyLabel={t('sell.submitting')}>
            {t('sell.submit')}
          </Button>
        </End>
      </Form>
    </Page>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <PartFrame>
      <PartTitle>{title}</PartTitle>
      <PartFields>{children}</PartFields>
    </PartFrame>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(10)};
  max-width: 60rem;
  margin-top: ${space(10)};
`

const PartFrame = styled.section`
  display: grid;
  gap: ${space(6)};
  padding-top: ${space(6)};
  border-top: 1px solid ${color.line};
  ${from.desktop} { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); }
`

/** In line with the fields. */
const End = styled.div`
  display: grid;
  gap: ${space(6)};
  justify-items: start;
  ${from.desktop} {
    grid-template-columns: minmax(0, 1fr) minmax(0, 2fr);
    & > * { grid-column: 2; }
  }
`

const PartTitle = styled.h2`
  font-size: ${text.title};
`

const PartFields = styled.div`
  display: grid;
  gap: ${space(5)};
  min-width: 0;
`

const Pair = styled.div`
  display: grid;
  gap: ${space(5)};
  ${from.tablet} { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
`
