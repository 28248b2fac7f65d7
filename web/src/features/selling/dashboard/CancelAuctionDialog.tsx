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

/** Ends an auction that has no bid yet, with a reason. */
export function CancelAuctionDialog({
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
  const [isMissing, setIsMissing] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || product.auction === null) return
    setIsMissing(reason.trim() === '')
    if (reason.trim() === '') return
    setIsBusy(true)
    try {
      await call(auctionRoutes.cancelAuction, {
        params: { auctionId: product.auction.id },
        body: { reason: reason.trim() },
      })
      // The list hears of it a moment later than the auction.
      list.change(product.id, (now) => ({ ...now, auction: now.auction && { ...now.auction, status: 'cancelled' } }))
      showToast({
        title: t('dashboard.cancelling.done'),
        description: t('dashboard.cancelling.doneText', { name: product.name }),
      })
      onClose()
    } catch (error) {
      setFailure(error)
      setIsBusy(false)
    }
  }

  return (
    <Dialog
      title={t('dashboard.cancelling.title', { name: product.name })}
      intro={t('dashboard.cancelling.text')}
      closeLabel={t('shell.closeToast')}
      isBusy={isBusy}
      onClose={onClose}
    >
      <Form noValidate onSubmit={(event) => void submit(event)}>
        <Field
          label={t('dashboard.cancelling.reason')}
          help={t('dashboard.cancelling.reasonHelp')}
          error={isMissing ? t('dashboard.cancelling.reasonMissing') : undefined}
        >
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
            {t('dashboard.cancelling.keep')}
          </Button>
          <Button type="submit" tone="danger" busy={isBusy} busyLabel={t('dashboard.cancelling.busy')}>
            {t('dashboard.cancelling.confirm')}
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
