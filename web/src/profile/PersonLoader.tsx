import type { CurrentUser } from '@wangian/contracts/identity.ts'
import type { ReactNode } from 'react'
import { styled } from 'styled-components'
import { shownMessage } from '../api/api-error.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { useCurrentUser } from '../session/use-current-user.ts'
import { space } from '../theme/theme.ts'
import { LoadFailure } from '../ui/LoadFailure.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { VisuallyHidden } from '../ui/VisuallyHidden.tsx'

/** Shows something of the signed-in person once the server has told it. */
export function PersonLoader({ children }: { children: (person: CurrentUser) => ReactNode }) {
  const { t } = useTranslation()
  const { data, error, mutate } = useCurrentUser()
  if (data) return children(data)
  if (!error) {
    return (
      <Lines aria-busy>
        <VisuallyHidden role="status">{t('shell.loading')}</VisuallyHidden>
        {['40%', '100%', '100%', '100%', '70%'].map((width, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <Skeleton key={line} $height={space(6)} $width={width} />
        ))}
      </Lines>
    )
  }
  return (
    <LoadFailure tone="secondary" onRetry={() => void mutate()}>
      {shownMessage(error)}
    </LoadFailure>
  )
}

const Lines = styled.div`
  display: grid;
  gap: ${space(5)};
  max-width: 40rem;
`
