import { auctionRoutes } from '@wangian/contracts/auction.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import { call } from '../../../api/client.ts'
import { space } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog, DialogActions } from '../../../ui/Dialog.tsx'
import { Field, TextArea } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { showToast } from '../../../ui/toast-store.ts'
import type { OwnProducts } from './api.ts'

const reasonLengthMax = 500

/** Gives up on the winner of an auction, who has not paid or is gone. */
export function ReleaseLotDialog({
  product,
  list,
  onClose,
}: {
  product: OwnProduct
  list: OwnProducts
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [reason, setReason] = useState('')
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const name = product.reservation?.username ?? t('person.deleted')

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || product.auction === null) return
    setFailure(undefined)
    setBusy(true)
    try {
      const body = reason.trim() === '' ? {} : { reason: reason.trim() }
      await call(auctionRoutes.releaseLot, { params: { auctionId: product.auction.id }, body })
      list.change(product.id, (now) => ({
        ...now,
        status: 'active',
        reservation: null,
        reservedQuantity: 0,
        auction: now.auction && { ...now.auction, isReleased: true },
      }))
      showToast({
        title: t('dashboard.releasing.done'),
        description: t('dashboard.releasing.doneText', { name: product.name }),
      })
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }

  return (
    <Dialog
      title={t('dashboard.releasing.title', { name: product.name })}
      intro={t('dashboard.releasing.text', { name })}
      closeLabel={t('shell.closeToast')}
      isBusy={isBusy}
      onClose={onClose}
    >
      <Form noValidate onSubmit={(event) => void submit(event)}>
        <Field label={t('dashboard.releasing.reason')} help={t('dashboard.releasing.reasonHelp')}>
          {(control) => (
            <TextArea
              {...control}
              rows={3}
              maxLength={reasonLengthMax}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
        {failure !== undefined && <Notice tone="live">{shownMessage(failure)}</Notice>}
        <DialogActions>
          <Button tone="plain" onClick={onClose}>
            {t('dashboard.releasing.keep')}
          </Button>
          <Button type="submit" tone="danger" busy={isBusy} busyLabel={t('dashboard.releasing.busy')}>
            {t('dashboard.releasing.confirm')}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

const Form = styled.form`
  display: grid;
  gap: ${space(4)};
  margin-top: ${space(5)};
`
