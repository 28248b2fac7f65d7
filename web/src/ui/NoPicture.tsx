import { styled } from 'styled-components'
import { useTranslation } from '../lib/use-translation.ts'
import { color } from '../theme/theme.ts'
import { EmptyBottle } from './EmptyBottle.tsx'

/**
 * In the place of a picture: drawn and not a file, so that it has the page's colours and language. Where it is small it is the bottle alone.
 */
export function NoPicture({ isBroken }: { isBroken: boolean }) {
  const { t } = useTranslation()
  return (
    <Drawn>
      <EmptyBottle />
      <Words>{t(isBroken ? 'picture.broken' : 'picture.none')}</Words>
    </Drawn>
  )
}

const Drawn = styled.span`
  position: absolute;
  inset: 0;
  display: grid;
  gap: 5%;
  align-content: center;
  justify-items: center;
  container-type: size;
  color: ${color.muted};
  text-align: center;
  svg { width: 38cqw; height: auto; }
`

const Words = styled.span`
  padding: 0 5cqw;
  font-size: clamp(0.75rem, 5cqw, 1.0625rem);
  @container (max-width: 119.98px) { display: none; }
`
