import { useState } from 'react'
import { styled } from 'styled-components'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, from, layer, radius, space } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { VisuallyHidden } from '../../../ui/VisuallyHidden.tsx'
import { BoostPicker } from './BoostPicker.tsx'
import { type Ticks, useTicked } from './ticks.ts'

/** Floats over the end of the list while products are ticked. */
export function BoostSelected({ ticks }: { ticks: Ticks }) {
  const { t } = useTranslation()
  const count = useTicked(ticks).size
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <VisuallyHidden role="status">{count > 0 && t('dashboard.boost.count', { count })}</VisuallyHidden>
      {count > 0 && (
        <Float>
          <Button onClick={() => setIsOpen(true)}>{t('dashboard.boost.selected', { count })}</Button>
          <Button tone="plain" onClick={() => ticks.clear()}>
            {t('dashboard.boost.clear')}
          </Button>
        </Float>
      )}
      {isOpen && count > 0 && <BoostPicker ticks={ticks} onClose={() => setIsOpen(false)} />}
    </>
  )
}

const Float = styled.div`
  position: sticky;
  z-index: ${layer.bar};
  bottom: calc(${space(4)} + env(safe-area-inset-bottom));
  display: flex;
  gap: ${space(1)};
  justify-content: space-between;
  width: fit-content;
  max-width: 100%;
  /* Toasts have the left side. */
  margin: ${space(6)} 0 0 auto;
  padding: ${space(2)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  box-shadow: ${color.shadow};
  & > :last-child { padding: 0 ${space(3)}; }
  ${from.tablet} { bottom: ${space(6)}; }
`
