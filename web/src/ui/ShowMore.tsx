import { styled } from 'styled-components'
import { useTranslation } from '../lib/use-translation.ts'
import { color, space, text } from '../theme/theme.ts'
import { Button } from './Button.tsx'

/** Below a list that goes on: brings what comes next, and says why it has not come. */
export function ShowMore({
  failure,
  isBusy,
  label,
  busyLabel,
  onPress,
}: {
  failure?: string | undefined
  isBusy: boolean
  /** Where it should say of what there is more. */
  label?: string
  busyLabel?: string
  onPress: () => void
}) {
  const { t } = useTranslation()
  return (
    <Frame>
      {failure !== undefined && <Failure role="alert">{failure}</Failure>}
      <Button tone="secondary" busy={isBusy} busyLabel={busyLabel ?? t('products.loadingMore')} onClick={onPress}>
        {label ?? t('products.more')}
      </Button>
    </Frame>
  )
}

const Frame = styled.div`
  display: grid;
  gap: ${space(3)};
  justify-items: center;
  padding-top: ${space(6)};
`

const Failure = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
  text-align: center;
`
