import { type BoostCase, boostRoutes } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import type { BoostableProduct } from '@wangian/contracts/selling.ts'
import { type FormEvent, useState } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { space, text } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { Radio, RadioGroup } from '../../../ui/Choices.tsx'
import { Dialog, DialogActions } from '../../../ui/Dialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { showToast } from '../../../ui/toast-store.ts'
import { type useCases, useWaitingPayments } from './api.ts'
import { FinderEnd, FinderField } from './ProductFinder.tsx'
import { useProductFinder } from './use-product-finder.ts'

/** What was paid for and could not be boosted, until it is settled: for an open one another product is chosen. */
export function BoostCases({
  list: { cases, error, hasMore, isLoadingMore, showMore, reload },
  onChosen,
}: {
  list: ReturnType<typeof useCases>
  onChosen: () => void
}) {
  const { t } = useTranslation()
  const [choosing, setChoosing] = useState<BoostCase | null>(null)
  const unsettled = cases?.filter(({ state }) => state === 'open' || state === 'chosen' || state === 'expired') ?? []
  if (unsettled.length === 0) return null
  return (
    <Section aria-labelledby="boost-cases">
      <Title id="boost-cases">{t('boost.cases.title')}</Title>
      {unsettled.map((each) => (
        <Notice key={each.id} tone="warn">
          <Line>
            <span>
              {t(`boost.cases.${each.state as 'open' | 'chosen' | 'expired'}`, {
                name: each.productName,
                amount: formatRinggit(ringgitFromSen(each.amount)),
                time: formatDateTime(each.expiresAt),
              })}
            </span>
            {each.state === 'open' && (
              <Button
                size="small"
                aria-label={t('boost.cases.chooseFor', { name: each.productName })}
                onClick={() => setChoosing(each)}
              >
                {t('boost.cases.choose')}
              </Button>
            )}
          </Line>
        </Notice>
      ))}
      {hasMore && <ShowMore failure={error && shownMessage(error)} isBusy={isLoadingMore} onPress={showMore} />}
      {choosing && (
        <Choosing
          boostCase={choosing}
          onClose={() => {
            setChoosing(null)
            // It may be settled since, as a refusal has said.
            reload()
          }}
          onChosen={() => {
            setChoosing(null)
            reload()
            onChosen()
          }}
        />
      )}
    </Section>
  )
}

function Choosing({
  boostCase,
  onClose,
  onChosen,
}: {
  boostCase: BoostCase
  onClose: () => void
  onChosen: () => void
}) {
  const { t } = useTranslation()
  const waitingIds = useWaitingPayments().waiting.flatMap(({ productIds }) => productIds)
  const [chosen, setChosen] = useState<BoostableProduct | null>(null)
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const finder = useProductFinder<HTMLDivElement>()
  // What a search hides is not boosted unseen.
  const product = finder.shown?.some(({ id }) => id === chosen?.id) ? chosen : null
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || !product) return
    setIsBusy(true)
    try {
      await call(boostRoutes.chooseProduct, { params: { caseId: boostCase.id }, body: { productId: product.id } })
      showToast({ title: t('boost.cases.done'), description: t('boost.cases.doneText', { name: product.name }) })
      onChosen()
    } catch (refused) {
      setFailure(refused)
      setIsBusy(false)
    }
  }
  return (
    <Dialog
      title={t('boost.cases.dialog')}
      intro={t('boost.cases.intro', { name: boostCase.productName })}
      closeLabel={t('boost.cases.close')}
      isBusy={isBusy}
      onClose={onClose}
    >
      <FinderField finder={finder} />
      <Form onSubmit={(event) => void submit(event)}>
        {finder.hasFailed ? (
          <Notice tone="live">{t('boost.productsFailed')}</Notice>
        ) : finder.shown === undefined ? (
          <Skeleton $height={space(40)} />
        ) : finder.isEmpty ? (
          <p>{t('boost.noProducts')}</p>
        ) : (
          <Choices ref={finder.list}>
            <RadioGroup legend={t('boost.cases.legend')}>
              {finder.shown.map((each) => (
                <Radio
                  key={each.id}
                  name="boost-case-product"
                  label={each.name}
                  help={
                    waitingIds.includes(each.id) ? t('boost.waits') : each.is_featured ? t('boost.featured') : undefined
                  }
                  disabled={waitingIds.includes(each.id)}
                  checked={product?.id === each.id}
                  onChange={() => setChosen(each)}
                />
              ))}
              <FinderEnd finder={finder} />
            </RadioGroup>
          </Choices>
        )}
        {failure !== undefined && <Notice tone="live">{shownMessage(failure)}</Notice>}
        <DialogActions>
          <Button tone="plain" disabled={isBusy} onClick={onClose}>
            {t('boost.cancel')}
          </Button>
          <Button type="submit" disabled={product === null} busy={isBusy} busyLabel={t('boost.cases.busy')}>
            {t('boost.cases.confirm')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

const Section = styled.section`
  display: grid;
  gap: ${space(3)};
  margin-bottom: ${space(8)};
`

const Title = styled.h2`
  font-size: ${text.title};
`

const Line = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)};
  align-items: center;
  justify-content: space-between;
  & > span { flex: 1 1 ${space(60)}; }
`

const Choices = styled.div`
  max-height: 400px;
  overflow-y: auto;
`

const Form = styled.form`
  display: grid;
  gap: ${space(4)};
  margin-top: ${space(5)};
`
