import type { ReactNode } from 'react'
import { css, styled } from 'styled-components'
import { useSessionState } from './use-session.ts'

/** Who looks at something that is somebody's, such as a listing or the highest bid: a guest, whose it is, or somebody else who is signed in. */
type Viewer = 'guest' | 'other' | 'owner'

/** Everybody but its owner. */
export const others: readonly Viewer[] = ['guest', 'other']
export const everybody: readonly Viewer[] = [...others, 'owner']

/**
 * What only some see. A page that comes with what it shows is the same for all, so it has what each of them sees, and `before-paint.js` says which of it
 * this browser shows until the session is known: nothing moves then. Nobody can press what waits to be known, such as a bid.
 */
export function SeenBy({
  viewers,
  ownerId,
  waits = false,
  children,
}: {
  viewers: readonly Viewer[]
  ownerId?: number | undefined
  /** Shown, but not to be pressed before the session is known. */
  waits?: boolean
  children: ReactNode
}) {
  const session = useSessionState()
  if (session.status === 'loading') {
    return (
      <Part $unknown={{ viewers, ownerId }} inert={waits}>
        {children}
      </Part>
    )
  }
  const userId = session.status === 'signed-in' ? session.user.id : null
  const viewer = userId === null ? 'guest' : userId === ownerId ? 'owner' : 'other'
  // Within the same element, so that it is not begun anew.
  return viewers.includes(viewer) ? <Part>{children}</Part> : null
}

interface Unknown {
  readonly viewers: readonly Viewer[]
  readonly ownerId: number | undefined
}

const pageOf: Readonly<Record<Viewer, (ownerId: number | undefined) => string>> = {
  guest: () => ':root:not([data-known])',
  other: (ownerId) => `:root[data-known]${ownerId === undefined ? '' : `:not([data-known='${ownerId}'])`}`,
  owner: (ownerId) => `:root[data-known='${ownerId}']`,
}

/** No box of its own, also within words. */
const Part = styled.span<{ $unknown?: Unknown }>`
  display: contents;
  &[inert] > * { opacity: 0.6; }
  ${({ $unknown }) =>
    $unknown &&
    css`
      display: none;
      ${$unknown.viewers.map((viewer) => `${pageOf[viewer]($unknown.ownerId)} & { display: contents; }`)}
    `}
`
