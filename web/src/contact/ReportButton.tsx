import type { ReportKind } from '@wangian/contracts/reports.ts'
import { Flag } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { styled } from 'styled-components'
import { lazyPart } from '../lib/lazy-part.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { others, SeenBy } from '../session/SeenBy.tsx'
import { useSession } from '../session/use-session.ts'
import { color, reach, space, text } from '../theme/theme.ts'
import { showToast } from '../ui/toast-store.ts'

const ReportDialog = lazyPart(async () => (await import('./ReportDialog.tsx')).ReportDialog)

/** Leads to a report of something of somebody else's; whoever made it does not see it. */
export function ReportButton({
  kind,
  targetId,
  owner,
  label,
  fullLabel = label,
}: {
  kind: ReportKind
  targetId: number
  owner: { readonly id: number; readonly username: string | null }
  label: string
  /** Where there are several: which one. */
  fullLabel?: string
}) {
  const { t } = useTranslation()
  const session = useSession()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const begin = async () => {
    if (await session.knownUser()) {
      setOpen(true)
      return
    }
    showToast({ title: t('contact.requiredTitle'), description: t('report.guest') })
    void navigate(paths.auth({ redirect: pathname + search }))
  }
  return (
    <SeenBy viewers={others} ownerId={owner.id}>
      <Quiet type="button" aria-label={fullLabel} onClick={() => void begin()}>
        <Flag size={14} strokeWidth={1.75} aria-hidden />
        {label}
      </Quiet>
      {isOpen && (
        <Suspense fallback={null}>
          <ReportDialog
            targets={[{ kind, targetId, label }]}
            name={owner.username ?? t('person.deleted')}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </SeenBy>
  )
}

const Quiet = styled.button`
  position: relative;
  display: inline-flex;
  gap: ${space(1.5)};
  align-items: center;
  justify-self: start;
  padding: ${space(1)} 0;
  border: 0;
  background: none;
  color: ${color.muted};
  font-size: ${text.small};
  ${reach(8)}
  &:hover { color: ${color.ink}; text-decoration: underline; }
`
