import type { DeletionEffects, OwnProduct } from '@wangian/contracts/selling.ts'
import { styled } from 'styled-components'
import { shownMessage } from '../../../api/api-error.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { space } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { showToast } from '../../../ui/toast-store.ts'
import { type OwnProducts, useDeleteProduct, useDeletionEffects } from './api.ts'

/** Asks before a listing is deleted, and says what goes with it; the row leaves before the server has answered. */
export function DeleteDialog({
  product,
  list,
  onClose,
  onDeleted,
}: {
  product: OwnProduct
  list: OwnProducts
  onClose: () => void
  /** It is on its way: called at once. */
  onDeleted: () => void
}) {
  const { t } = useTranslation()
  const deleteProduct = useDeleteProduct()
  const { data: effects, error, mutate } = useDeletionEffects(product.id)
  const obstacle = effects && obstacleOf(effects, t)

  const confirm = async () => {
    list.change(product.id, () => null)
    onDeleted()
    try {
      await deleteProduct(product.id)
      showToast({
        title: t('dashboard.deleting.deleted'),
        description: t('dashboard.deleting.deletedText', { name: product.name }),
      })
    } catch (failure) {
      list.reload()
      showToast({ title: t('dashboard.deleting.error'), description: shownMessage(failure), tone: 'destructive' })
    }
  }

  return (
    <Confirm
      title={t('dashboard.deleting.title', { name: product.name })}
      words={t('dashboard.deleting.question')}
      confirmLabel={t('dashboard.deleting.confirm')}
      cancelLabel={obstacle ? t('dashboard.deleting.close') : t('dashboard.deleting.cancel')}
      possible={obstacle ? 'no' : effects ? 'yes' : 'later'}
      onConfirm={() => void confirm()}
      onCancel={onClose}
    >
      <Effects aria-live="polite" aria-busy={(!effects && !error) || undefined}>
        {obstacle ? (
          <Notice tone="warn">{obstacle}</Notice>
        ) : effects ? (
          <Notice>
            <List>
              {effectsOf(effects, t).map((effect) => (
                <li key={effect}>{effect}</li>
              ))}
            </List>
          </Notice>
        ) : error ? (
          <Notice tone="warn" title={t('dashboard.deleting.failed')}>
            <Failure>
              {shownMessage(error)}
              <Button tone="secondary" size="small" onClick={() => void mutate()}>
                {t('problem.tryAgain')}
              </Button>
            </Failure>
          </Notice>
        ) : (
          <Notice>{t('dashboard.deleting.finding')}</Notice>
        )}
      </Effects>
    </Confirm>
  )
}

/** Why it cannot be deleted; the server says the same when it is asked. */
function obstacleOf({ isReserved, auction }: DeletionEffects, t: Translate): string | null {
  if (isReserved) return t('dashboard.deleting.isReserved')
  if (!auction || auction.bidCount === 0) return null
  return t('dashboard.deleting.hasBids', { count: auction.bidCount, time: formatDateTime(auction.endsAt) })
}

function effectsOf(effects: DeletionEffects, t: Translate): readonly string[] {
  const { favoriteCount, conversationCount, featuredUntil, auction } = effects
  const said = [
    auction && t('dashboard.deleting.auction'),
    featuredUntil && t('dashboard.deleting.boost', { time: formatDateTime(featuredUntil) }),
    favoriteCount > 0 && t('dashboard.deleting.favorites', { count: favoriteCount }),
    conversationCount > 0 && t('dashboard.deleting.conversations', { count: conversationCount }),
  ].filter((each) => typeof each === 'string')
  return said.length > 0 ? said : [t('dashboard.deleting.nothing')]
}

const Effects = styled.div`
  margin-top: ${space(4)};
`

const List = styled.ul`
  display: grid;
  gap: ${space(2)};
`

const Failure = styled.div`
  display: grid;
  gap: ${space(3)};
  justify-items: start;
`
